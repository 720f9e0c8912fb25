import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';
import { drained } from './drained.ts';

export interface StreamOptions {
  readonly clock: Clock;
  readonly stalledMs: number;
  /** Runs one step, which reads and writes a piece; absent: at once. */
  readonly run?: <T>(step: () => Promise<T>) => Promise<T>;
}

/**
 * Writes the pieces of a source no faster than the client reads, and ends the response. A client that reads nothing for
 * `stalledMs` is disconnected. Resolves early if the client leaves; throws what the source throws.
 */
export async function writeStream(
  response: ServerResponse,
  source: AsyncIterable<Uint8Array>,
  { clock, stalledMs, run = now }: StreamOptions,
): Promise<void> {
  const pieces = source[Symbol.asyncIterator]();
  const step = async (): Promise<'ended' | 'written' | 'full'> => {
    const piece = await pieces.next();
    if (piece.done === true || response.destroyed) return 'ended';
    return response.write(piece.value) ? 'written' : 'full';
  };
  try {
    for (let outcome = await run(step); outcome !== 'ended'; outcome = await run(step)) {
      if (outcome === 'full' && !response.destroyed) await drained(response, clock, stalledMs);
    }
  } finally {
    await pieces.return?.();
  }
  if (!response.destroyed) response.end();
}

function now<T>(step: () => Promise<T>): Promise<T> {
  return step();
}
