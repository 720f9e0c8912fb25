import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { ToolCalls } from '../chat/tool-calls.ts';
import { Citations } from '../citations.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { membersOf, parsed } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';
import { readUsage } from './read-usage.ts';

type Members = Readonly<Record<string, unknown>>;

const TERMINATOR = '[DONE]';
const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;

/** Any unlisted value is an ordinary stop. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
};

/** Statuses of finish reasons that say that the server gave the answer up. */
const BREAKDOWNS: Readonly<Record<string, number>> = { ERROR: 500, TIMEOUT: 504 };

/** Reads the events of a chat stream of Cohere and whole answers. The plan of its calls is reasoning. */
export class CohereReader implements ReplyReader {
  finished = false;
  usage: Usage = {};
  upstreamId: string | null = null;
  readonly #calls: ToolCalls;
  readonly #citations = new Citations();
  readonly #note: RefusalNote | undefined;

  constructor(makeCallId: (index: number) => string, note?: RefusalNote) {
    this.#calls = new ToolCalls(makeCallId);
    this.#note = note;
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    if (data === TERMINATOR) return 'end';
    const { type = name, id, index, delta, logprobs, ...frame } = parsed(data);
    const error = errorIn(frame);
    if (error !== null) throw inBandFailure(error, this.#note);
    if (this.finished) return 'nothing';
    const message = membersOf(membersOf(delta).message);
    switch (type) {
      case 'message-start':
        this.#named(id);
        return 'part';
      case 'content-start':
      case 'content-delta':
        readPart(membersOf(message.content), events);
        if (logprobs != null) readScores([logprobs], events);
        return 'part';
      case 'tool-plan-delta':
        pushReasoning(message.tool_plan, events);
        return 'part';
      case 'tool-call-start':
      case 'tool-call-delta':
        this.#readCalls([message.tool_calls].flat(), index, events);
        return 'part';
      case 'citation-start':
        this.#cite([message.citations].flat(), events);
        return 'part';
      case 'message-end':
        this.#named(id);
        this.#finish(membersOf(delta), events);
        return 'part';
      default:
        return 'nothing';
    }
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    const error = errorIn(answer);
    if (error !== null) throw inBandFailure(error, this.#note);
    this.#named(answer.id);
    const { content, tool_plan, tool_calls, citations } = membersOf(answer.message);
    if (content != null && !Array.isArray(content)) throw new ProviderFailure('garbage', 'the content is not a list');
    pushReasoning(tool_plan, events);
    for (const part of content ?? []) readPart(membersOf(part), events);
    this.#readCalls(tool_calls ?? [], undefined, events);
    this.#cite(citations, events);
    if (answer.logprobs != null) readScores(answer.logprobs, events);
    this.#finish(answer, events);
  }

  #named(id: unknown): void {
    if (typeof id === 'string' && id !== '') this.upstreamId ??= id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
  }

  /** A frame holds one call and its place. A tool without parameters is sometimes called with `null`. */
  #readCalls(calls: unknown, index: unknown, events: TurnEvent[]): void {
    if (!Array.isArray(calls)) throw new ProviderFailure('garbage', 'tool_calls is not a list');
    const fragments = calls.map((call) => {
      const { id, function: called } = membersOf(call);
      const { name, arguments: given } = membersOf(called);
      return { index, id, function: { name, arguments: given === 'null' ? '' : given } };
    });
    this.#calls.read(fragments, events);
  }

  /** A passage of the plan or of the thinking is none of the answer's text. */
  #cite(citations: unknown, events: TurnEvent[]): void {
    if (!Array.isArray(citations)) return;
    for (const citation of citations) {
      const { start, end, type = 'TEXT_CONTENT', sources } = membersOf(citation);
      const passage = type === 'TEXT_CONTENT' ? { start_index: start, end_index: end } : {};
      for (const source of Array.isArray(sources) ? sources : []) {
        const { document, tool_output } = membersOf(source);
        const { url, title, snippet, text } = membersOf(document ?? tool_output);
        this.#citations.cite({ url, title, content: snippet ?? text, ...passage }, events);
      }
    }
  }

  #finish({ finish_reason: reason, usage, error }: Members, events: TurnEvent[]): void {
    this.usage = readUsage(usage);
    if (typeof reason !== 'string' || reason === '') return;
    const native = reason.slice(0, NATIVE_CHARACTERS_MAX);
    const status = Object.hasOwn(BREAKDOWNS, native) ? BREAKDOWNS[native] : undefined;
    if (status !== undefined) throw inBandFailure({ message: error, status }, this.#note);
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.#calls.end(events);
    this.finished = true;
    events.push({ type: 'finish', reason: known === 'stop' && this.#calls.count > 0 ? 'tool_calls' : known, native });
  }
}

function readPart({ text, thinking }: Members, events: TurnEvent[]): void {
  pushReasoning(thinking, events);
  if (typeof text === 'string' && text !== '') events.push({ type: 'text-delta', text });
}

function pushReasoning(text: unknown, events: TurnEvent[]): void {
  if (typeof text === 'string' && text !== '') events.push({ type: 'reasoning-delta', text });
}

/** A score belongs to a text of one or more tokens: the chance of the text is that of all of them. */
function readScores(items: unknown, events: TurnEvent[]): void {
  if (!Array.isArray(items)) throw new ProviderFailure('garbage', 'logprobs is not a list');
  const content = items.flatMap((item) => {
    const { text, logprobs } = membersOf(item);
    if (typeof text !== 'string' || !Array.isArray(logprobs)) return [];
    const scores = logprobs.filter((each) => typeof each === 'number');
    return scores.length === 0 ? [] : [{ token: text, logprob: scores.reduce((sum, each) => sum + each, 0) }];
  });
  if (content.length > 0) events.push({ type: 'logprobs', content });
}
