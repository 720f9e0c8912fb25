import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';

/**
 * Writes the pieces of a source no faster than the client reads, and ends the response. A client that reads nothing for
 * `stalledMs` is disconnected. Resolves early if the client leaves; throws what the source throws.
 */
export async function writeStream(
  response: ServerResponse,
  source: AsyncIterable<Uint8Array>,
  clock: Clock,
  stalledMs: number,
): Promise<void> {
  for await (const piece of source) {
    if (response.destroyed) return;
    if (!response.write(piece) && !response.destroyed) await drained(response, clock, stalledMs);
  }
  if (!response.destroyed) response.end();
}

function drained(response: ServerResponse, clock: Clock, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(stalledMs, () => response.destroy());
    const done = (): void => {
      stop();
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
