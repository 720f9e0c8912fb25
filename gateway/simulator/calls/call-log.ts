import { appendFileSync } from 'node:fs';

/** One call as recorded by a provider. Times are wall ms; `usage` is the reported object, unchanged. */
export interface Call {
  readonly provider: string;
  readonly call: number;
  /** The client's own id of the request, from its directive. */
  readonly id: string | null;
  readonly model: string;
  readonly stream: boolean;
  readonly startAt: number;
  firstByteAt: number | null;
  endAt: number | null;
  abortAt: number | null;
  /** `served`: complete. `aborted`: the gateway closed first. `open`: still running when the log was closed. */
  outcome: 'open' | 'served' | 'status' | 'cut' | 'garbage' | 'aborted';
  status: number | null;
  /** Content frames sent. */
  chunks: number;
  usage: Readonly<Record<string, unknown>> | null;
  /** Present on calls about videos: creates, polls, contents and cancels. */
  readonly video?: VideoCall;
}

const FLUSH_LINES = 64;
const FLUSH_MS = 50;

/** Writes one JSON line per finished call, in batches; `close` writes open calls with outcome `open`. */
export class CallLog {
  readonly #file: string | null;
  readonly #open = new Set<Call>();
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string | null) {
    this.#file = file;
    if (file !== null) appendFileSync(file, '');
  }

  start(call: Call): void {
    if (this.#file !== null) this.#open.add(call);
  }

  end(call: Call): void {
    if (!this.#open.delete(call)) return;
    this.#lines.push(`${JSON.stringify({ ...call, headers: undefined, body: undefined })}\n`);
    if (this.#lines.length >= FLUSH_LINES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#file === null || this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    appendFileSync(this.#file, text);
  }

  close(): void {
    for (const call of [...this.#open]) this.end(call);
    this.flush();
  }
}

/** What a call concerning a video adds to its record. */
export interface VideoCall {
  readonly route: 'create' | 'poll' | 'content' | 'cancel';
  /** The provider's id of the job; null where none was made. */
  job: string | null;
  readonly idempotencyKey: string | null;
  /** This create returned the job of an earlier one. */
  repeated: boolean;
  /** Bytes of the clip that were sent. */
  bytes: number;
}
