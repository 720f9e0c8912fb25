import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';
import { drained } from './drained.ts';

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
