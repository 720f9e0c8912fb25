import type { ServerResponse } from 'node:http';
import type { Clock } from '../../actors/runtime/index.ts';

/** Resolves when a slow client has caught up or is gone; one that reads nothing for `stalledMs` is disconnected. */
export function drained(response: ServerResponse, clock: Clock, stalledMs: number): Promise<void> {
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
