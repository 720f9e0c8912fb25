import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  type CheckpointerAnswer,
  type CheckpointerRequest,
  type CheckpointerStart,
  FAILED,
  IDLE,
  MOVING,
} from './checkpointer-protocol.ts';
import type { Failure } from './failure.ts';
import { spawnThread } from './spawn-thread.ts';

/**
 * The writer's side of the mover thread: asks it to move the log, one move at a time, and never waits for one. The thread
 * starts with the first move: a store that writes little never has one.
 */
export class Checkpointer {
  readonly #state = new Int32Array(new SharedArrayBuffer(4));
  readonly #start: CheckpointerStart;
  readonly #failed: (failure: Failure) => void;
  #thread: Worker | null = null;

  /** `failed` is told when the disk failed under the mover or its thread died. */
  constructor(path: string, failed: (failure: Failure) => void) {
    this.#start = { path, state: this.#state.buffer };
    this.#failed = failed;
  }

  /** False while a move is under way, and for ever once the disk failed. */
  get idle(): boolean {
    return Atomics.load(this.#state, 0) === IDLE;
  }

  get moving(): boolean {
    return Atomics.load(this.#state, 0) === MOVING;
  }

  move(): void {
    if (Atomics.compareExchange(this.#state, 0, IDLE, MOVING) !== IDLE) return;
    this.#thread ??= this.#spawn();
    this.#thread.postMessage({ move: true } satisfies CheckpointerRequest);
  }

  /** Resolves when a move under way is done and the thread has ended. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null || thread.threadId < 0) return;
    const ended = once(thread, 'exit');
    thread.postMessage({ close: true } satisfies CheckpointerRequest);
    await ended;
  }

  #spawn(): Worker {
    const thread = spawnThread({ file: './checkpointer-thread.ts', name: 'store mover', data: this.#start });
    thread.on('message', ({ failure }: CheckpointerAnswer) => this.#failed(failure));
    thread.on('error', (error) => {
      Atomics.store(this.#state, 0, FAILED);
      this.#failed({ kind: 'fatal', message: `the mover thread of the store ended: ${error.message}` });
    });
    return thread;
  }
}
