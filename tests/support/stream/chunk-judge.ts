import { isUnbroken } from './numbered.ts';

/** The route of the chunks. */
export type Dialect = 'chat' | 'completions';

interface Choice {
  readonly index?: unknown;
  readonly delta?: Record<string, unknown>;
  readonly text?: unknown;
  readonly finish_reason?: unknown;
}

interface Fragment {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

const OBJECTS = { chat: 'chat.completion.chunk', completions: 'text_completion' };
const REASONS = new Set<unknown>([null, 'stop', 'length', 'tool_calls', 'content_filter', 'error']);

/**
 * Checks the chunks of one stream for consistency: one id, one model, one provider; the role only in the first delta;
 * the name of a tool call in its first fragment; one finish reason; then the usage or, after a failure, no more chunks.
 */
export class ChunkJudge {
  readonly chunks: Record<string, unknown>[] = [];
  error: Record<string, unknown> | null = null;
  readonly #dialect: Dialect;
  readonly #fault: (fault: string) => void;
  readonly #calls = new Set<unknown>();
  #text = '';
  #reasoning = '';
  #deltas = 0;
  #finish: unknown = null;
  #usages = 0;

  constructor(dialect: Dialect, fault: (fault: string) => void) {
    this.#dialect = dialect;
    this.#fault = fault;
  }

  chunk(chunk: Record<string, unknown>): void {
    if (this.error !== null) this.#fault('a chunk behind an error');
    if (this.#usages > 0) this.#fault('a chunk behind the usage');
    this.#head(chunk);
    this.chunks.push(chunk);
    const choices = chunk.choices as readonly Choice[] | undefined;
    if (!Array.isArray(choices) || choices.length > 1)
      return void this.#fault(`choices are ${JSON.stringify(choices)?.slice(0, 80)}`);
    if (chunk.error !== undefined) this.#failed(chunk, choices[0]);
    if (chunk.usage !== undefined && chunk.usage !== null) this.#usage(chunk, choices);
    if (choices[0] !== undefined) this.#choice(choices[0]);
    else if (chunk.usage === undefined) this.#fault('no choice and no usage in a chunk');
  }

  end(usageOptional: boolean): void {
    if (this.#finish === null) this.#fault('no finish_reason');
    if ((this.#finish === 'error') !== (this.error !== null))
      this.#fault('finish_reason error without an error member');
    if (this.error === null && this.#usages === 0 && !usageOptional) this.#fault('no usage before [DONE]');
    if (this.error !== null && this.#usages > 0) this.#fault('usage beside an error');
  }

  /** Checks the text so far, also for an abandoned stream: the received text must have no gap. */
  textFaults(): readonly string[] {
    return [this.#text, this.#reasoning]
      .filter((text) => !isUnbroken(text))
      .map((text) => `text missing, doubled or of two calls: ${JSON.stringify(text.slice(0, 200))}`);
  }

  #head(chunk: Record<string, unknown>): void {
    if (chunk.object !== OBJECTS[this.#dialect]) this.#fault(`object is ${JSON.stringify(chunk.object)}`);
    if (!/^gen-/.test(String(chunk.id))) this.#fault(`id is ${JSON.stringify(chunk.id)}`);
    if (!Number.isInteger(chunk.created)) this.#fault(`created is ${JSON.stringify(chunk.created)}`);
    for (const name of ['model', 'provider'])
      if (typeof chunk[name] !== 'string') this.#fault(`${name} is ${JSON.stringify(chunk[name])}`);
    const [first] = this.chunks;
    if (first === undefined) return;
    for (const name of ['id', 'created', 'model', 'provider'])
      if (chunk[name] !== first[name] && chunk.error === undefined) this.#fault(`${name} changes within a stream`);
  }

  #choice(choice: Choice): void {
    if (choice.index !== 0) this.#fault(`choice index ${JSON.stringify(choice.index)}`);
    if (!REASONS.has(choice.finish_reason)) this.#fault(`finish_reason is ${JSON.stringify(choice.finish_reason)}`);
    if (this.#finish !== null && choice.finish_reason !== 'error') this.#fault('a delta behind the finish_reason');
    if (choice.finish_reason !== null) this.#finish = choice.finish_reason;
    if (this.#dialect === 'chat') this.#delta(choice.delta);
    else if (typeof choice.text !== 'string') this.#fault(`text is ${JSON.stringify(choice.text)}`);
    else this.#text += choice.text;
  }

  #delta(delta: Record<string, unknown> | undefined): void {
    if (typeof delta !== 'object' || delta === null) return void this.#fault('a choice without a delta');
    const first = this.#deltas++ === 0;
    // A stream that failed before its first part has no role.
    if (first && delta.role !== 'assistant' && this.error === null) this.#fault('no role in the first delta');
    if (!first && delta.role !== undefined) this.#fault('a role in a later delta');
    if (typeof delta.content === 'string') this.#text += delta.content;
    if (typeof delta.reasoning === 'string') this.#reasoning += delta.reasoning;
    for (const fragment of (delta.tool_calls ?? []) as readonly Fragment[]) this.#fragment(fragment);
  }

  #fragment(fragment: Fragment): void {
    if (!Number.isInteger(fragment.index)) this.#fault(`tool index ${JSON.stringify(fragment.index)}`);
    if (typeof fragment.function?.arguments !== 'string') this.#fault('a tool fragment without arguments');
    if (this.#calls.has(fragment.index)) {
      if (fragment.function?.name !== undefined) this.#fault('a tool named twice');
      return;
    }
    this.#calls.add(fragment.index);
    const named = typeof fragment.id === 'string' && typeof fragment.function?.name === 'string';
    if (!named || fragment.type !== 'function') this.#fault('a first tool fragment without id, type or name');
  }

  #usage(chunk: Record<string, unknown>, choices: readonly Choice[]): void {
    this.#usages++;
    if (choices.length > 0) this.#fault('usage beside a choice');
    if (typeof (chunk.usage as { cost?: unknown }).cost !== 'number') this.#fault('usage without a cost');
    if (typeof chunk.honoured !== 'object' || chunk.honoured === null) this.#fault('usage without honoured');
    if (this.#finish === null) this.#fault('usage before the finish_reason');
  }

  #failed(chunk: Record<string, unknown>, choice: Choice | undefined): void {
    this.error = chunk.error as Record<string, unknown>;
    const { code, message, metadata } = this.error as { code?: unknown; message?: unknown; metadata?: object };
    if (!Number.isInteger(code) || typeof message !== 'string') this.#fault('an error without code or message');
    if (typeof (metadata as { error_type?: unknown })?.error_type !== 'string')
      this.#fault('an error without metadata.error_type');
    if (choice?.finish_reason !== 'error') this.#fault('an error without finish_reason error');
  }
}
