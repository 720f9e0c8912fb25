import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { readScores } from '../chat/scores.ts';
import { ToolCalls } from '../chat/tool-calls.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { parsed } from '../parsed.ts';
import { tokenCount } from '../prompt-usage.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';

type Members = Readonly<Record<string, unknown>>;

const NATIVE_CHARACTERS_MAX = 64;
/** The server loaded or dropped the model instead of answering. */
const NO_ANSWER: ReadonlySet<string> = new Set(['load', 'unload']);

/** Reads the lines of a streamed answer and whole answers, which have the form of its last line. */
export class OllamaReader implements ReplyReader {
  finished = false;
  usage: Usage = {};
  /** The server names no answer. */
  readonly upstreamId = null;
  readonly #makeCallId: (index: number) => string;
  readonly #note: RefusalNote | undefined;
  #calls: ToolCalls | null = null;

  constructor(makeCallId: (index: number) => string, note?: RefusalNote) {
    this.#makeCallId = makeCallId;
    this.#note = note;
  }

  readFrame(_name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    this.readWhole(parsed(data), events);
    return this.finished ? 'end' : 'part';
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    const error = errorIn(answer);
    if (error !== null) throw inBandFailure(error, this.#note);
    if (answer.message != null) this.#readMessage(answer.message, events);
    if (answer.logprobs != null) readScores({ content: answer.logprobs }, events);
    if (answer.done === true) this.#finish(answer, events);
  }

  #readMessage(message: unknown, events: TurnEvent[]): void {
    if (typeof message !== 'object') throw new ProviderFailure('garbage', 'the message is not an object');
    const { thinking, content, tool_calls: calls } = message as Members;
    if (typeof thinking === 'string' && thinking !== '') events.push({ type: 'reasoning-delta', text: thinking });
    if (typeof content === 'string' && content !== '') events.push({ type: 'text-delta', text: content });
    if (calls != null) this.#readCalls(calls, events);
  }

  /** Each call is whole and may lack an id; its index counts within one line at some servers. */
  #readCalls(calls: unknown, events: TurnEvent[]): void {
    if (!Array.isArray(calls)) throw new ProviderFailure('garbage', 'tool_calls is not a list');
    this.#calls ??= new ToolCalls(this.#makeCallId);
    for (const call of calls as readonly (Members | null)[]) {
      this.#calls.read([{ ...call, index: this.#calls.count }], events);
    }
  }

  #finish({ done_reason: reason, prompt_eval_count, eval_count }: Members, events: TurnEvent[]): void {
    const native = typeof reason === 'string' ? reason.slice(0, NATIVE_CHARACTERS_MAX) : null;
    if (NO_ANSWER.has(native ?? '')) throw new ProviderFailure('garbage', 'the model was loaded and gave no answer');
    const promptTokens = tokenCount(prompt_eval_count);
    const completionTokens = tokenCount(eval_count);
    this.usage = {
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(completionTokens === undefined ? {} : { completionTokens }),
    };
    this.finished = true;
    this.#calls?.end(events);
    const known = native === 'length' ? 'length' : 'stop';
    const called = this.#calls !== null && this.#calls.count > 0;
    events.push({ type: 'finish', reason: known === 'stop' && called ? 'tool_calls' : known, native });
  }
}
