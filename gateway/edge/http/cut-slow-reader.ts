import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';

/** What fits the buffers of any connection needs no watch. */
const WATCHED_CHARACTERS_MIN = 64 * 1024;

export interface ReaderLimits {
  /** Time any reader has. */
  readonly streamStalledMs: number;
  /** As slow as an upload may be, a download may be too. */
  readonly bodyBytesPerSecondMin: number;
}

/**
 * Ends an answer in one piece whose reader does not take it: it waits in memory until it is read, and pictures and speech
 * make such answers large. Costs nothing for small ones.
 */
export function cutSlowReader(response: ServerResponse, body: string, clock: Clock, limits: ReaderLimits): void {
  if (body.length < WATCHED_CHARACTERS_MIN) return;
  const allowedMs = limits.streamStalledMs + (body.length / limits.bodyBytesPerSecondMin) * 1_000;
  const stop = clock.after(allowedMs, () => response.destroy());
  response.once('close', stop);
}
