import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, Learnt, ReplyReader } from '../adapter.ts';
import { Citations } from '../citations.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { parsed, stopSequence } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';
import { Media } from './media.ts';
import { readUsage } from './read-usage.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { readScores } from './scores.ts';
import { pushSignature } from './thought-signature.ts';
import { ToolCalls } from './tool-calls.ts';

type Members = Readonly<Record<string, unknown>>;

const TERMINATOR = '[DONE]';
const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;

/** Finish reasons of providers, standard and other. Any unlisted value is an ordinary stop. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  content_filter: 'content_filter',
  safety: 'content_filter',
};

/** Finish reasons of an answer that the server itself abandoned. */
const BREAKDOWNS: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

/**
 * Turns chat completion objects, chunks of a stream or a whole reply, into events. Keeps the state across chunks: open
 * tool calls, the finish, the newest usage. An answer that ends without a finish reason is finished where its end is
 * certain: a whole reply, or the terminator of a stream. Throws `ProviderFailure` for an invalid answer.
 */
export class ChatReader implements ReplyReader {
  finished = false;
  usage: Usage = {};
  upstreamId: string | null = null;
  readonly #makeCallId: (index: number) => string;
  readonly #note: RefusalNote | undefined;
  readonly #learnt: Learnt;
  // Created on first use: most answers are text alone.
  #calls: ToolCalls | null = null;
  #details: ReasoningDetails | null = null;
  #media: Media | null = null;
  #citations: Citations | null = null;
  /** A part of the answer has arrived. */
  #begun = false;

  constructor(makeCallId: (index: number) => string, note?: RefusalNote, learnt: Learnt = {}) {
    this.#makeCallId = makeCallId;
    this.#note = note;
    this.#learnt = learnt;
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    if (data === TERMINATOR) {
      this.#end(events);
      return 'end';
    }
    const chunk = parsed(data);
    if (name === 'error') throw inBandFailure(chunk.error, this.#note);
    this.#read(chunk, 'delta', events);
    return 'part';
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    this.#read(answer, 'message', events);
    this.#end(events);
  }

  /** Adds the events of one object to `events`. `part` is the member of a choice that carries the answer. */
  #read(chunk: Members, part: 'delta' | 'message', events: TurnEvent[]): void {
    const vendor = chunk.x_groq as Members | null | undefined;
    const usage = chunk.usage ?? vendor?.usage;
    if (usage != null) this.usage = readUsage(usage) ?? this.usage;
    // Groq says there why it stopped a stream early.
    const error = errorIn(chunk) ?? vendor?.error;
    if (error != null) throw inBandFailure(error, this.#note);
    if (this.upstreamId === null && typeof chunk.id === 'string' && chunk.id !== '') {
      this.upstreamId = chunk.id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
    }
    if (chunk.citations != null || chunk.search_results != null) {
      this.#citations ??= new Citations();
      this.#citations.keep(chunk.citations, chunk.search_results);
    }
    if (chunk.choices == null) return;
    if (!Array.isArray(chunk.choices)) throw new ProviderFailure('garbage', 'choices is not a list');
    const choice = chunk.choices[0] as Members | null | undefined;
    if (choice == null || this.finished) return;
    if (typeof choice !== 'object') throw new ProviderFailure('garbage', 'a choice is not an object');
    const before = events.length;
    this.readAnswer(choice, part, events);
    this.#begun ||= events.length > before;
    if (choice.finish_reason != null && choice.finish_reason !== '') this.#finish(choice, events);
  }

  /** Adds the events of what a choice says of the answer. */
  protected readAnswer(choice: Members, part: 'delta' | 'message', events: TurnEvent[]): void {
    this.#readPart(choice[part], part === 'delta', events);
    if (choice.logprobs != null) readScores(choice.logprobs, events);
  }

  #readPart(part: unknown, streamed: boolean, events: TurnEvent[]): void {
    if (part == null) return;
    if (typeof part !== 'object') throw new ProviderFailure('garbage', 'the answer of a choice is not an object');
    const delta = part as Members;
    const reasoning = textOf(delta.reasoning) || textOf(delta.reasoning_content);
    if (reasoning !== '') {
      if (this.#details === null) this.#learnt.reasonedIn = textOf(delta.reasoning) ? 'reasoning' : 'reasoning_content';
      events.push({ type: 'reasoning-delta', text: reasoning });
    }
    if (delta.extra_content != null) pushSignature(delta.extra_content, undefined, events);
    if (delta.reasoning_details != null) {
      this.#learnt.reasonedIn = 'details';
      this.#details ??= new ReasoningDetails();
      this.#details.read(delta.reasoning_details, streamed, events);
    }
    if (typeof delta.content === 'string') pushText(delta.content, events);
    else if (readParts(delta.content, events)) this.#learnt.reasonedIn = 'parts';
    const refusal = textOf(delta.refusal);
    if (refusal !== '') events.push({ type: 'refusal-delta', text: refusal });
    if (delta.images != null || delta.audio != null) {
      this.#media ??= new Media();
      this.#media.readImages(delta.images, events);
      this.#media.readAudio(delta.audio, events);
    }
    if (delta.annotations != null) {
      this.#citations ??= new Citations();
      this.#citations.readAnnotations(delta.annotations, events);
    }
    if (delta.tool_calls != null) {
      this.#calls ??= new ToolCalls(this.#makeCallId);
      this.#calls.read(delta.tool_calls, events);
    }
  }

  /** The certain end of an answer: some servers give it no finish reason. An answer without any part is none. */
  #end(events: TurnEvent[]): void {
    if (!this.finished && this.#begun) this.#close('stop', null, null, events);
  }

  /** Servers name the sequence that matched as `stop_reason` or `matched_stop`; a number there is a token. */
  #finish({ finish_reason, stop_reason, matched_stop }: Members, events: TurnEvent[]): void {
    const native = String(finish_reason).slice(0, NATIVE_CHARACTERS_MAX);
    if (BREAKDOWNS.has(native)) throw new ProviderFailure('unavailable', 'the finish reason is an upstream error');
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.#close(known, native, stop_reason ?? matched_stop, events);
  }

  #close(known: FinishReason, native: string | null, sequence: unknown, events: TurnEvent[]): void {
    this.finished = true;
    this.#calls?.end(events);
    this.#citations?.end(events);
    events.push({
      type: 'finish',
      reason: known === 'stop' && this.#calls !== null && this.#calls.count > 0 ? 'tool_calls' : known,
      native,
      ...stopSequence(sequence),
    });
  }
}

function pushText(text: string, events: TurnEvent[]): void {
  if (text !== '') events.push({ type: 'text-delta', text });
}

/** Adds the events of a list of parts, in which some servers send their reasoning. True where there was any. */
function readParts(content: unknown, events: TurnEvent[]): boolean {
  if (!Array.isArray(content)) return false;
  let reasoned = false;
  for (const part of content as readonly (Members | null)[]) {
    const thought = textOf(part?.thinking);
    if (thought !== '') {
      reasoned = true;
      events.push({ type: 'reasoning-delta', text: thought });
    }
    pushText(textOf(part?.text), events);
  }
  return reasoned;
}

/** Plain text, or the texts of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
