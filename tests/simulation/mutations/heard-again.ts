import { HeldRows } from '../../../actors/runtime/actor/held-rows.ts';
import { systemCollections } from '../../../actors/runtime/actor/system-collections.ts';
import type { Mutation } from '../mutation.ts';

const HEARD = systemCollections.heard.name;

/** A receiver never remembers what it heard of a sender: a message that comes again is taken again. */
export const heardAgain: Mutation = {
  name: 'outbox not deduplicated',
  caughtBy: 2,
  begin() {
    const { find, readView } = HeldRows.prototype;
    HeldRows.prototype.find = function (collection, id) {
      return collection === HEARD ? undefined : find.call(this, collection, id);
    };
    HeldRows.prototype.readView = function (collection, id) {
      return collection === HEARD ? null : readView.call(this, collection, id);
    };
    return () => Object.assign(HeldRows.prototype, { find, readView });
  },
};
