/** An example to copy: an activity stores a clip, a row keeps its sealed reference, and a reader opens any range of it. */
import { setup } from 'xstate';
import {
  type ActivityHandler,
  type ActorEvent,
  type ByteAccess,
  type ByteRange,
  type Effect,
  emit,
  type Kind,
  openBlob,
  ownerOf,
  type Random,
  type SealedBlob,
  type Stamped,
  sealBlob,
} from '../../../actors/runtime/index.ts';

type Event = ActorEvent & Stamped;
const RENDER_MS = 60_000;
const does = (effects: (event: Event) => readonly Effect[]) => emit<object, Event>(({ event }) => effects(event));

const machine = setup({
  types: {} as { context: object; events: Event },
  actions: {
    render: does(({ at }) => [
      { type: 'perform', name: 'render', id: 'clip', input: null, deadlineAt: at + RENDER_MS },
      { type: 'reply', body: null },
    ]),
    // From this commit on the blob is kept until the row is removed: the collection declares the column with its id.
    keep: does(({ result }) => [{ type: 'put', collection: 'clips', id: 'clip', body: result as SealedBlob }]),
    end: does(() => [{ type: 'stop' }]),
  },
}).createMachine({
  context: {},
  options: { maxIterations: 10 },
  on: {
    'film.order': { actions: 'render' },
    'render.done': { actions: 'keep' },
    'render.failed': { actions: 'end' },
    'render.attempt': {}, // Its runner died; the next attempt stores its own blob.
  },
});

export const filmKind: Kind = {
  ...{ name: 'film', machine, version: 1, creates: ['film.order'], finishes: [], volatile: [] },
  activities: ['render'],
  collections: { clips: { sort: () => 0, index: [({ id }: SealedBlob) => id], blob: 0 } },
  explain: () => ['The film is rendered once.'],
  redact: (context) => context,
};

/** The clip opens only at this place: a row swapped with one of another account or film does not open. */
const placeOf = (film: string) => ({ owner: ownerOf(film), object: film, kind: 'clip' });

/** The handler of the activity. It gets the key first: while the key store is unreachable nothing is stored. */
export function renderer(
  { blobs, keys }: ByteAccess,
  random: Random,
  film: () => AsyncIterable<Uint8Array>,
): ActivityHandler {
  return {
    ...{ runningMax: 8, runningPerGroupMax: 2 },
    run: async ({ address }) => {
      const key = await keys.current();
      return sealBlob(key, placeOf(address), await blobs.put(film()), random);
    },
  };
}

/** A range of the clip, read from its own segments only; `clip.bytes` is the total. Throws BlobRangeError (416). */
export async function readClip({ blobs, keys }: ByteAccess, film: string, clip: SealedBlob, range: ByteRange) {
  return blobs.read(await openBlob(keys, placeOf(film), clip), range);
}
