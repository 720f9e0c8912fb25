import { RowCache } from '../../../actors/runtime/actor/cascade/row-cache.ts';
import { systemCollections } from '../../../actors/runtime/actor/cascade/row-writes.ts';
import { type Mutation, patch } from '../mutation.ts';

const INBOX = systemCollections.inbox.name;

/** A receiver ignores its inbox high-water marks: a message delivered twice is stepped twice. */
export const messageSteppedTwice: Mutation = {
  name: 'outbox not deduplicated',
  caughtBy: 61,
  begin: () =>
    patch(RowCache, ['find', 'readView'], ({ find, readView }) => ({
      find(collection: string, id: string) {
        return collection === INBOX ? undefined : find.call(this, collection, id);
      },
      readView(collection: string, id: string) {
        return collection === INBOX ? null : readView.call(this, collection, id);
      },
    })),
};
