import { ChunkJudge, type Dialect } from './chunk-judge.ts';

/** The verdict on a stream, as far as it was read. */
interface StreamVerdict {
  /** Every violation of the grammar; empty for a valid stream. */
  readonly faults: readonly string[];
  readonly comments: number;
  /** The parsed data frames without `[DONE]`. */
  readonly chunks: readonly Record<string, unknown>[];
  /** Named events, by their data. */
  readonly dispatches: readonly Record<string, unknown>[];
  readonly dones: number;
  /** The last chunk with an `error`. */
  readonly error: Record<string, unknown> | null;
}

export interface StreamRules {
  readonly dialect: Dialect;
  /** The caller opted into call-ready events. */
  readonly dispatch?: boolean;
  /** Accepts a missing usage chunk: if nodes die, a charge may not be recorded in time. */
  readonly usageOptional?: boolean;
}

/**
 * Checks one stream, fed in pieces of any size, against the grammar of its wire: comments of one line, unnamed data
 * frames, no `id:`, no carriage return, and the rules of `ChunkJudge`. An abandoned stream is checked as far as it
 * went; a finished one must have a valid end. (rule I57, rule I59)
 */
export class StreamJudge {
  readonly #faults: string[] = [];
  readonly #rules: StreamRules;
  readonly #chunks: ChunkJudge;
  readonly #dispatches: Record<string, unknown>[] = [];
  readonly #called = new Set<string>();
  #rest = '';
  #comments = 0;
  #event: string | null = null;
  #afterData = false;
  #afterComment = false;
  #dones = 0;
  #lines = 0;

  constructor(rules: StreamRules) {
    this.#rules = rules;
    this.#chunks = new ChunkJudge(rules.dialect, (fault) => this.#faults.push(fault));
  }

  /** The whole text of a stream that ended. */
  static of(text: string, rules: StreamRules): StreamVerdict {
    const judge = new StreamJudge(rules);
    judge.feed(text);
    return judge.end();
  }

  feed(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#line(line);
  }

  /** The verdict on an unfinished stream: its reader left, or it broke off. */
  left(): StreamVerdict {
    const { chunks, error } = this.#chunks;
    const faults = [...this.#faults, ...this.#chunks.textFaults()];
    return { faults, comments: this.#comments, chunks, dispatches: this.#dispatches, dones: this.#dones, error };
  }

  /** The stream ended by itself. */
  end(): StreamVerdict {
    if (this.#rest !== '') this.#fault(`ends in the middle of a line: ${brief(this.#rest)}`);
    if (this.#afterData) this.#fault('ends without the blank line behind its last frame');
    if (this.#dones !== 1) this.#fault(`${this.#dones} times [DONE]`);
    this.#chunks.end(this.#rules.usageOptional ?? false);
    return this.left();
  }

  #fault(fault: string): void {
    this.#faults.push(fault);
  }

  #line(line: string): void {
    this.#lines++;
    if (this.#dones > 0 && !(this.#dones === 1 && this.#afterData && line === ''))
      this.#fault(`behind [DONE]: ${brief(line)}`);
    if (line.includes('\r')) this.#fault(`a carriage return: ${brief(line)}`);
    if (this.#afterData && line !== '') this.#fault(`no blank line behind a frame: ${brief(line)}`);
    if (line === '') this.#blank();
    else if (line.startsWith(':')) this.#comment(line);
    else if (line.startsWith('data: ')) this.#data(line.slice(6));
    else if (line.startsWith('event: ')) this.#named(line.slice(7));
    else this.#fault(`neither comment nor frame: ${brief(line)}`);
    this.#afterComment = line.startsWith(':');
  }

  #blank(): void {
    // A blank line without a frame dispatches an empty event in some clients.
    if (!this.#afterData)
      this.#fault(this.#afterComment ? 'a blank line behind a comment' : 'a blank line without a frame');
    this.#afterData = false;
  }

  #comment(line: string): void {
    this.#comments++;
    if (this.#event !== null) this.#fault('a comment inside an event');
    if (this.#lines === 1 && line !== ': processing') this.#fault(`opens with ${brief(line)}`);
  }

  #named(name: string): void {
    if (name !== 'tool_call_dispatch' || !this.#rules.dispatch) this.#fault(`a named event: ${brief(name)}`);
    this.#event = name;
  }

  #data(data: string): void {
    if (this.#lines === 1) this.#fault('does not open with the processing comment');
    this.#afterData = true;
    const named = this.#event !== null;
    this.#event = null;
    if (data === '[DONE]') {
      this.#dones++;
      return;
    }
    let body: unknown;
    try {
      body = JSON.parse(data);
    } catch {
      return void this.#fault(`no JSON in a frame: ${brief(data)}`);
    }
    if (typeof body !== 'object' || body === null) return void this.#fault(`no object in a frame: ${brief(data)}`);
    if (named) this.#dispatched(body as Record<string, unknown>);
    else this.#chunks.chunk(body as Record<string, unknown>);
  }

  /** A call is announced once, complete, and for choice 0 only. */
  #dispatched(body: Record<string, unknown>): void {
    this.#dispatches.push(body);
    const call = body.tool_call as { id?: unknown; type?: unknown; function?: { name?: unknown; arguments?: unknown } };
    const whole =
      body.choice_index === 0 &&
      call?.type === 'function' &&
      typeof call.id === 'string' &&
      typeof call.function?.name === 'string' &&
      typeof call.function.arguments === 'string';
    if (!whole) return void this.#fault(`not a call in a dispatch: ${brief(JSON.stringify(body))}`);
    if (this.#called.has(call.id as string)) this.#fault(`call ${call.id} announced twice`);
    this.#called.add(call.id as string);
  }
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
