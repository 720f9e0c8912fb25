import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type TransferListItem, Worker } from 'node:worker_threads';

export interface ThreadChoice {
  /** The thread's source file, beside this one. */
  readonly file: './writer-thread.ts' | './checkpointer-thread.ts';
  readonly name: string;
  /** The thread's `workerData`. */
  readonly data: unknown;
  readonly transfer?: readonly TransferListItem[];
}

/**
 * Starts a thread of the store. The build puts the thread's file beside the chunk that this code belongs to. Under tsx,
 * whose hooks do not reach the threads of Node 20, loads the TypeScript file through tsx's own require (125 ms to start;
 * its import hooks take 250-450 ms).
 */
export function spawnThread({ file, name, data, transfer = [] }: ThreadChoice): Worker {
  const options = { name, workerData: data, transferList: [...transfer] };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(file.replace(/ts$/, 'js'), import.meta.url), options);
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const thread = fileURLToPath(new URL(file, import.meta.url));
  const boot = `require(${JSON.stringify(loader)}).register(); require(${JSON.stringify(thread)});`;
  return new Worker(boot, { ...options, eval: true, execArgv: [] });
}
