import type { Worker } from 'node:worker_threads';
import { spawnThread } from './spawn-thread.ts';
import type { WriterStart } from './writer-protocol.ts';

/** Starts the writer's thread. */
export function spawnWriter(start: WriterStart): Worker {
  return spawnThread({ file: './writer-thread.ts', name: 'store writer', data: start, transfer: [start.urgent] });
}
