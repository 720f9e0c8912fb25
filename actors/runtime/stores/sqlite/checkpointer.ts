import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  type CheckpointerAnswer,
  type CheckpointerRequest,
  type CheckpointerStart,
  FAILED,
  IDLE,
  RUNNING,
} from './checkpointer-protocol.ts';
import type { StoreFailure } from './failure.ts';
import { spawnThread } from './spawn-thread.ts';

/**
 * The writer's handle of the checkpointer thread: requests one checkpoint at a time without waiting for it. The thread
 * starts with the first request, so a store with few writes never has one.
 */
export class Checkpointer {
  readonly #state = new Int32Array(new SharedArrayBuffer(4));
  readonly #start: CheckpointerStart;
  readonly #failed: (failure: StoreFailure) => void;
  #thread: Worker | null = null;

  /** `failed` is called when the disk failed during a checkpoint or the thread died. */
  constructor(path: string, failed: (failure: StoreFailure) => void) {
    this.#start = { path, state: this.#state.buffer };
    this.#failed = failed;
  }

  /** False while a checkpoint runs, and permanently after a disk failure. */
  get idle(): boolean {
    return Atomics.load(this.#state, 0) === IDLE;
  }

  get running(): boolean {
    return Atomics.load(this.#state, 0) === RUNNING;
  }

  run(): void {
    if (Atomics.compareExchange(this.#state, 0, IDLE, RUNNING) !== IDLE) return;
    this.#thread ??= this.#spawn();
    this.#thread.postMessage({ run: true } satisfies CheckpointerRequest);
  }

  /** Resolves when a running checkpoint is done and the thread has ended. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null || thread.threadId < 0) return;
    const ended = once(thread, 'exit');
    thread.postMessage({ close: true } satisfies CheckpointerRequest);
    await ended;
  }

  #spawn(): Worker {
    const thread = spawnThread({ file: './checkpointer-thread.ts', name: 'store checkpointer', data: this.#start });
    thread.on('message', ({ failure }: CheckpointerAnswer) => this.#failed(failure));
    thread.on('error', (error) => {
      Atomics.store(this.#state, 0, FAILED);
      this.#failed({ kind: 'fatal', message: `the checkpointer thread of the store ended: ${error.message}` });
    });
    return thread;
  }
}
