import { RowCache } from '../../../actors/runtime/actor/row-cache.ts';
import { systemCollections } from '../../../actors/runtime/actor/system-collections.ts';
import type { Mutation } from '../mutation.ts';

const HEARD = systemCollections.heard.name;

/** A receiver ignores its inbox high-water marks: a message delivered twice is stepped twice. */
export const messageSteppedTwice: Mutation = {
  name: 'outbox not deduplicated',
  caughtBy: 1,
  begin() {
    const { find, readView } = RowCache.prototype;
    RowCache.prototype.find = function (collection, id) {
      return collection === HEARD ? undefined : find.call(this, collection, id);
    };
    RowCache.prototype.readView = function (collection, id) {
      return collection === HEARD ? null : readView.call(this, collection, id);
    };
    return () => Object.assign(RowCache.prototype, { find, readView });
  },
};
