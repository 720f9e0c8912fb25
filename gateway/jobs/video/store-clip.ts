import {
  type ActivityHandler,
  type ByteAccess,
  type Clock,
  type OpenBlob,
  type Random,
  type SealedBlob,
  type SealPlace,
  sealBlob,
} from '../../../actors/runtime/index.ts';
import type { RemovalInput } from '../../../actors/video-job/clips.ts';
import { SpentBuffers } from '../../outbound/body-buffers.ts';
import type { OutboundBody } from '../../outbound/outbound.ts';
import { arrivalShare } from '../../overload/loop-work.ts';
import { type ClipMeasure, ClipMeter } from './clip/measure-clip.ts';

/** A clip as delivered and measured. `blob` is null where the blob store refused it: `refusal` says why. */
export type ReceivedClip =
  | { readonly measure: ClipMeasure; readonly bytes: number; readonly blob: SealedBlob; readonly refusal: null }
  | { readonly measure: ClipMeasure; readonly bytes: number; readonly blob: null; readonly refusal: unknown };

interface Storing {
  readonly bytes: ByteAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly place: SealPlace;
  /** Judges the measured clip before it is kept; null: it is kept. */
  readonly keeps: (measure: ClipMeasure) => boolean;
}

/**
 * Streams a clip from its provider into the blob store and measures it on the way; memory for some pieces. A clip that
 * is not kept is removed. Rejects with what the provider's side failed with (OutboundError, UnreadableClip), or with
 * KeyStoreUnreachable. Where the blob store fails, the rest is read and measured all the same: the provider has rendered
 * it, and what was rendered is known.
 */
export async function storeClip(
  body: OutboundBody,
  { bytes, clock, random, place, keeps }: Storing,
): Promise<ReceivedClip> {
  const meter = new ClipMeter();
  // Before anything is stored: while the key store is out of reach nothing may be.
  const key = await bytes.keys.current();
  const source = new Source(meter, body, clock);
  let blob: OpenBlob;
  try {
    blob = await bytes.blobs.put(source);
  } catch (thrown) {
    if (source.failure !== null) throw source.failure;
    await source.drain();
    return { measure: meter.measured(), bytes: source.bytes, blob: null, refusal: thrown };
  }
  const measure = await measured(meter, () => bytes.blobs.remove(blob.id));
  if (!keeps(measure)) await bytes.blobs.remove(blob.id);
  return { measure, bytes: blob.bytes, blob: sealBlob(key, place, blob, random), refusal: null };
}

async function measured(meter: ClipMeter, remove: () => Promise<unknown>): Promise<ClipMeasure> {
  try {
    return meter.measured();
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** The pieces of a clip for the blob store, which ends them early when it fails: then they can be read on. */
class Source implements AsyncIterable<Uint8Array> {
  bytes = 0;
  /** What the provider's side failed with. */
  failure: unknown = null;
  readonly #pieces: AsyncIterator<Uint8Array>;

  constructor(meter: ClipMeter, body: OutboundBody, clock: Clock) {
    this.#pieces = meter.pass(piecesOf(body, clock))[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  async drain(): Promise<void> {
    while ((await this.#next()).done !== true);
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await this.#pieces.next();
      if (next.done !== true) this.bytes += next.value.length;
      return next;
    } catch (thrown) {
      this.failure = thrown;
      throw thrown;
    }
  }
}

/**
 * In shares of the event loop, as uploads are received: clips that arrive together never stall the node. Their buffers
 * are freed at once: the collector would let some 64 MiB of them gather.
 */
async function* piecesOf(body: OutboundBody, clock: Clock): AsyncIterable<Uint8Array> {
  const spent = new SpentBuffers();
  try {
    for (let read = await body.read(); read !== null; read = await body.read()) {
      for (const piece of read) {
        await arrivalShare(clock, piece.length);
        spent.passing(piece);
        yield piece;
      }
      body.progressed();
    }
  } finally {
    body.abort();
  }
}

/** Clips that one node removes at once. */
const REMOVALS_RUNNING_MAX = 8;

/**
 * The activity `removal`: removes the bytes of a clip once its row is gone. Without it they would lie until the sweep
 * of blobs that no row refers to, which waits for a day. (rule V33)
 */
export function removalHandler(blobs: () => Pick<ByteAccess['blobs'], 'remove'>): ActivityHandler {
  return {
    runningMax: REMOVALS_RUNNING_MAX,
    runningPerGroupMax: REMOVALS_RUNNING_MAX,
    run: async ({ input }) => {
      const { blob } = input as unknown as RemovalInput;
      return { removed: await blobs().remove(blob) };
    },
  };
}
