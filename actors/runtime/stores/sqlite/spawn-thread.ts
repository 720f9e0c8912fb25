import { type TransferListItem, Worker } from 'node:worker_threads';

interface ThreadChoice {
  /** The thread's source file, beside this one. */
  readonly file: './writer-thread.ts' | './checkpointer-thread.ts';
  readonly name: string;
  /** The thread's `workerData`. */
  readonly data: unknown;
  readonly transfer?: readonly TransferListItem[];
}

/** Starts a thread of the store. The build puts the thread's file beside the chunk that this code belongs to. */
export function spawnThread({ file, name, data, transfer = [] }: ThreadChoice): Worker {
  const built = import.meta.url.endsWith('.ts') ? file : file.replace(/ts$/, 'js');
  return new Worker(new URL(built, import.meta.url), { name, workerData: data, transferList: [...transfer] });
}
