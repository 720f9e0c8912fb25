/**
 * The node's handle of its writer thread: sends requests, settles promises, and distinguishes requests that certainly
 * did not happen from those that may have. Never retries a commit, and sends nothing after the thread has ended.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { Slab } from '../../collections/slab.ts';
import type { Random } from '../../ports/clock.ts';
import { StoreRefused } from '../../ports/store.ts';
import type { VerdictCode } from './apply-commit.ts';
import { errorOf, type StoreFailure } from './failure.ts';
import type { Packed } from './packed-commit.ts';
import { spawnThread } from './spawn-thread.ts';
import type { WriterAnswer, WriterOperations, WriterRequest, WriterStart } from './writer-protocol.ts';

export interface WriterOptions
  extends Pick<WriterStart, 'path' | 'shards' | 'busyBoundMs' | 'yieldMs' | 'checkBytesMax'> {
  readonly random: Random;
  /** Maximum number of pending requests; further ones are refused as busy. */
  readonly requestsMax: number;
  /** Called with every failure before its caller's promise rejects, and with the thread's death. */
  readonly failed: (failure: StoreFailure) => void;
  /** Creates the thread. Default: the real one. */
  readonly spawn?: (start: WriterStart) => Worker;
}

interface WriterCall {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

const DEAD: StoreFailure = { kind: 'fatal', message: 'the writer thread of the store ended' };

export class Writer {
  readonly #worker: Worker;
  readonly #urgent: MessagePort;
  readonly #waited = new Int32Array(new SharedArrayBuffer(4));
  /** Pending requests; a request's id is its place in the slab. */
  readonly #pending = new Slab<WriterCall>();
  readonly #options: WriterOptions;
  readonly #exited: Promise<void>;
  #started: { resolve: () => void; reject: (error: Error) => void } | null = null;
  #state: 'open' | 'closing' | 'dead' = 'open';

  private constructor(options: WriterOptions) {
    this.#options = options;
    const channel = new MessageChannel();
    this.#urgent = channel.port1;
    const { path, shards, busyBoundMs, yieldMs, checkBytesMax, random } = options;
    const seed = Math.floor(random.fraction() * 0x100000000);
    const waited = this.#waited.buffer;
    const urgent = channel.port2;
    const spawn = options.spawn ?? spawnWriter;
    this.#worker = spawn({ path, shards, busyBoundMs, yieldMs, checkBytesMax, seed, waited, urgent });
    this.#worker.on('message', (answer: WriterAnswer) => this.#answered(answer));
    this.#worker.on('error', (error) => this.#died({ ...DEAD, message: `${DEAD.message}: ${error.message}` }));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#died(DEAD);
        resolve();
      });
    });
  }

  /** Resolves once the database is open and migrated; rejects with the message for the operator. */
  static async start(options: WriterOptions): Promise<Writer> {
    const writer = new Writer(options);
    try {
      await new Promise<void>((resolve, reject) => {
        writer.#started = { resolve, reject };
      });
    } catch (error) {
      writer.#urgent.close();
      await writer.#exited;
      throw error;
    }
    return writer;
  }

  commit(commit: Packed): Promise<readonly VerdictCode[]> {
    return this.#send(this.#worker, (id) => ({ id, commit }));
  }

  /** Calls one named operation; overtakes waiting commits. */
  call<Name extends keyof WriterOperations>(
    call: Name,
    ...args: Parameters<WriterOperations[Name]>
  ): Promise<ReturnType<WriterOperations[Name]>> {
    return this.#send(this.#urgent, (id) => ({ id, call, args }));
  }

  /** How long the writer has been waiting for the lock, ms; 0 without a wait. */
  get waitedMs(): number {
    return Atomics.load(this.#waited, 0);
  }

  /** Waits for sent requests, then closes the database and ends the thread. */
  async close(): Promise<void> {
    if (this.#state === 'open') {
      const closed = this.#send(this.#worker, (id) => ({ id, close: true }));
      this.#state = 'closing';
      await closed.catch(() => {});
    }
    await this.#exited;
    this.#urgent.close();
  }

  #send<T>(to: Worker | MessagePort, request: (id: number) => WriterRequest): Promise<T> {
    if (this.#state !== 'open') return Promise.reject(new StoreRefused('unreachable', 'the store is closed'));
    if (this.#pending.size >= this.#options.requestsMax) {
      return Promise.reject(new StoreRefused('busy', `${this.#pending.size} requests wait for the writer`));
    }
    return new Promise<T>((resolve, reject) => {
      to.postMessage(request(this.#pending.add({ resolve, reject })));
    });
  }

  #answered(answer: WriterAnswer): void {
    if ('started' in answer) {
      this.#started?.resolve();
      this.#started = null;
      return;
    }
    if ('refused' in answer) {
      this.#state = 'dead';
      this.#started?.reject(new Error(answer.refused));
      this.#started = null;
      return;
    }
    if ('broken' in answer) {
      this.#options.failed(answer.broken);
      return;
    }
    const pending = this.#pending.take(answer.id);
    if (!pending) return;
    if ('failure' in answer) {
      this.#options.failed(answer.failure);
      pending.reject(errorOf(answer.failure));
    } else {
      pending.resolve(('verdicts' in answer ? answer.verdicts : answer.result) as never);
    }
  }

  #died(failure: StoreFailure): void {
    const unplanned = this.#state === 'open';
    this.#state = 'dead';
    this.#started?.reject(new Error(failure.message));
    this.#started = null;
    if (unplanned) this.#options.failed(failure);
    for (let place = 0; this.#pending.size > 0; place++) this.#pending.take(place)?.reject(errorOf(failure));
  }
}

function spawnWriter(start: WriterStart): Worker {
  return spawnThread({ file: './writer-thread.ts', name: 'store writer', data: start, transfer: [start.urgent] });
}
