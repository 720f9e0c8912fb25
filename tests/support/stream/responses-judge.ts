import { ResponsesEvents } from './responses-events.ts';

/** The verdict on a responses stream, as far as it was read. */
interface ResponsesVerdict {
  /** Every violation of the grammar; empty for a valid stream. */
  readonly faults: readonly string[];
  readonly comments: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** The response of the terminal event. */
  readonly final: Readonly<Record<string, unknown>> | null;
}

/**
 * Checks one responses stream, fed in pieces of any size: comments of one line, named frames whose name is their type,
 * no `id:`, no carriage return, no `[DONE]`, and the rules of `ResponsesEvents`. (rule I88)
 */
export class ResponsesJudge {
  readonly #events = new ResponsesEvents();
  readonly #faults: string[] = [];
  readonly #usageOptional: boolean;
  #rest = '';
  #lines = 0;
  #comments = 0;
  #name: string | null = null;
  #afterData = false;

  constructor({ usageOptional = false }: { readonly usageOptional?: boolean } = {}) {
    this.#usageOptional = usageOptional;
  }

  /** The whole text of a stream that ended. */
  static of(text: string, rules: { readonly usageOptional?: boolean } = {}): ResponsesVerdict {
    const judge = new ResponsesJudge(rules);
    judge.feed(text);
    return judge.end();
  }

  feed(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#line(line);
  }

  /** The verdict on an unfinished stream. */
  left(): ResponsesVerdict {
    return this.#verdict(this.#events.left());
  }

  /** The stream ended by itself. */
  end(): ResponsesVerdict {
    if (this.#rest !== '' || this.#afterData) this.#faults.push('ends in the middle of a frame');
    return this.#verdict(this.#events.end(this.#usageOptional));
  }

  #verdict(faults: readonly string[]): ResponsesVerdict {
    const { events, final } = this.#events;
    return { faults: [...this.#faults, ...faults], comments: this.#comments, events, final };
  }

  #line(line: string): void {
    this.#lines++;
    if (this.#lines === 1 && line !== ': processing') this.#faults.push(`opens with ${line.slice(0, 100)}`);
    if (line.includes('\r')) this.#faults.push('a carriage return');
    if (this.#afterData !== (line === '')) this.#faults.push(`not a frame of two lines: ${line.slice(0, 100)}`);
    this.#afterData = false;
    if (line.startsWith(':')) {
      this.#comments++;
      if (this.#name !== null) this.#faults.push('a comment inside a frame');
    } else if (line.startsWith('event: ')) this.#name = line.slice(7);
    else if (line.startsWith('data: ')) this.#data(line.slice(6));
    else if (line !== '') this.#faults.push(`neither comment nor frame: ${line.slice(0, 100)}`);
  }

  #data(data: string): void {
    this.#afterData = true;
    const name = this.#name;
    this.#name = null;
    try {
      const event = JSON.parse(data) as Record<string, unknown>;
      if (event.type !== name) this.#faults.push(`a frame named ${name} has type ${event.type}`);
      this.#events.event(event);
    } catch (error) {
      this.#faults.push(`${String(error)}: ${data.slice(0, 100)}`);
    }
  }
}
