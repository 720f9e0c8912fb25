import type { ServerResponse } from 'node:http';
import type { Clock } from '../../actors/runtime/index.ts';
import { drained } from './drained.ts';

/** Bytes that one step writes at least, if the client takes them: one segment of a blob. */
const STEP_BYTES = 64 * 1024;

export interface StreamOptions {
  readonly clock: Clock;
  readonly stalledMs: number;
  /** Runs one step, which reads and writes some bytes; absent: at once. */
  readonly run?: <T>(step: () => Promise<T>) => Promise<T>;
  /** Called with each piece once the system has taken its bytes; not for those that a lost connection left unsent. */
  readonly written?: ((piece: Uint8Array) => void) | undefined;
}

/**
 * Writes the pieces of a source no faster than the client reads, and ends the response. A client that reads nothing for
 * `stalledMs` is disconnected. Resolves early if the client leaves; throws what the source throws.
 */
export async function writeStream(
  response: ServerResponse,
  source: AsyncIterable<Uint8Array>,
  { clock, stalledMs, run = now, written }: StreamOptions,
): Promise<void> {
  const pieces = source[Symbol.asyncIterator]();
  const step = async (): Promise<'ended' | 'written' | 'full'> => {
    for (let bytes = 0; bytes < STEP_BYTES; ) {
      const piece = await pieces.next();
      if (piece.done === true || response.destroyed) return 'ended';
      bytes += piece.value.length;
      const { value } = piece;
      const taken = (error?: Error | null): void => {
        if (error == null) written?.(value);
      };
      if (!response.write(value, taken)) return 'full';
    }
    return 'written';
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
