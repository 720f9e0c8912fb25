import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { WriterStart } from './writer-protocol.ts';

/**
 * Starts the writer's thread: built, the JavaScript file beside this one; under tsx, whose hooks do not reach the
 * threads of Node 20, the TypeScript one through tsx's own require (125 ms to start; its import hooks take 250-450).
 */
export function spawnWriter(start: WriterStart): Worker {
  const options = { name: 'store writer', workerData: start, transferList: [start.urgent] };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./writer-thread.js', import.meta.url), options);
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const thread = fileURLToPath(new URL('./writer-thread.ts', import.meta.url));
  const boot = `require(${JSON.stringify(loader)}).register(); require(${JSON.stringify(thread)});`;
  return new Worker(boot, { ...options, eval: true, execArgv: [] });
}
