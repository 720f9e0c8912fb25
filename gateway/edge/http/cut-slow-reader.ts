import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';

/** Bodies this small fit the socket buffers; no timer needed. */
const WATCHED_CHARACTERS_MIN = 64 * 1024;

export interface ReaderLimits {
  /** Time that every reader has. */
  readonly streamStalledMs: number;
  /** Minimum speed of an upload, and of a download too. */
  readonly bodyBytesPerSecondMin: number;
}

/**
 * Cuts the connection of a client that does not read a whole answer in time. Unread answers stay in memory, and images
 * and speech make them large. Small answers cost no timer.
 */
export function cutSlowReader(response: ServerResponse, body: string, clock: Clock, limits: ReaderLimits): void {
  if (body.length < WATCHED_CHARACTERS_MIN) return;
  const allowedMs = limits.streamStalledMs + (body.length / limits.bodyBytesPerSecondMin) * 1_000;
  const stop = clock.after(allowedMs, () => response.destroy());
  response.once('close', stop);
}
