import { LongText } from '../../terms/long-text.ts';
import { GEMINI_FORMAT } from '../../terms/turn.ts';
import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { IMAGES_MAX, pictureUrl } from '../json-text.ts';
import { membersOf, parsed } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';
import { addCitations, PLACED_CHARACTERS_MAX } from './grounding.ts';
import { logprobsOf } from './logprobs.ts';
import { readUsage } from './read-usage.ts';

const ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;
/** Parts of one reply that begin an entry of their own; a reply with more is invalid. */
const ENTRIES_MAX = 4_096;

/** Any unlisted value is an ordinary stop. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};
/** The model broke its own form, or gave none of what was asked: another try may succeed. */
const MALFORMED: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'NO_IMAGE',
  'IMAGE_OTHER',
]);
const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';
/** Reasons why a prompt is blocked that are no judgement of its content. */
const UNJUDGED: ReadonlySet<unknown> = new Set(['OTHER', 'BLOCKED_REASON_UNSPECIFIED']);

type Members = Readonly<Record<string, unknown>>;
const NOTHING: Members = {};

/** Reads `generateContent` answers: every frame of a stream is one of the same form with the next parts. */
export class GeminiReader implements ReplyReader {
  finished = false;
  upstreamId: string | null = null;
  readonly #makeCallId: (index: number) => string;
  readonly #note: RefusalNote | undefined;
  #calls = 0;
  #images = 0;
  /** Entries of reasoning so far; the thoughts of consecutive parts are one. */
  #entries = 0;
  #isThinking = false;
  /** The text so far, in which sources are placed; not all of one that is too long for places. */
  #text = '';
  #reported: Members = NOTHING;

  constructor(makeCallId: (index: number) => string, note?: RefusalNote) {
    this.#makeCallId = makeCallId;
    this.#note = note;
  }

  get usage(): Usage {
    return readUsage(this.#reported);
  }

  /** Nothing marks the end of a stream, and the counts may follow the finish. */
  readFrame(_name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    const frame = parsed(data);
    return this.#read(frame, events) || frame.usageMetadata != null ? 'part' : 'nothing';
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    if (!this.#read(answer, events)) throw new ProviderFailure('garbage', 'an answer without candidates');
    if (!this.finished) this.#finish('STOP', {}, events);
  }

  /** False for an object without a part of the answer. */
  #read(answer: Members, events: TurnEvent[]): boolean {
    const error = errorIn(answer);
    if (error !== null) throw inBandFailure(error, this.#note);
    const { responseId, usageMetadata, promptFeedback, candidates } = answer;
    if (typeof responseId === 'string' && responseId !== '') this.upstreamId ??= responseId.slice(0, ID_CHARACTERS_MAX);
    if (typeof usageMetadata === 'object' && usageMetadata !== null) {
      const counts = usageMetadata as Members;
      this.#reported = this.#reported === NOTHING ? counts : { ...this.#reported, ...counts };
    }
    const isEmpty = !Array.isArray(candidates) || candidates.length === 0;
    const { blockReason } = membersOf(promptFeedback);
    if (isEmpty && blockReason != null) throw this.#blocked(blockReason, promptFeedback);
    if (isEmpty || this.finished) return !isEmpty;
    const candidate = membersOf((candidates as readonly unknown[])[0]);
    this.#readParts(membersOf(candidate.content).parts, events);
    const scores = logprobsOf(candidate.logprobsResult);
    if (scores !== null) events.push({ type: 'logprobs', content: scores });
    const { finishReason } = candidate;
    if (typeof finishReason === 'string' && finishReason !== '' && finishReason !== UNSPECIFIED) {
      this.#finish(finishReason, candidate, events);
    }
    return true;
  }

  #readParts(parts: unknown, events: TurnEvent[]): void {
    if (parts == null) return;
    if (!Array.isArray(parts)) throw new ProviderFailure('garbage', 'the parts are not a list');
    for (const part of parts) this.#readPart(membersOf(part), events);
  }

  /** Ignores what a hosted tool did, and pictures that are a thought. */
  #readPart(part: Members, events: TurnEvent[]): void {
    const { text, thought, thoughtSignature, functionCall, inlineData } = part;
    const signature = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
    if (thought === true) {
      if (typeof text === 'string') this.#think(text, signature, events);
      return;
    }
    if (functionCall != null) this.#call(membersOf(functionCall), signature, events);
    else if (typeof text === 'string') {
      if (text !== '') {
        this.#isThinking = false;
        if (this.#text.length <= PLACED_CHARACTERS_MAX) this.#text += text;
        events.push({ type: 'text-delta', text });
      }
      if (signature !== undefined) this.#sign(signature, undefined, events);
    } else if (inlineData != null) this.#picture(membersOf(inlineData), events);
  }

  #think(text: string, signature: string | undefined, events: TurnEvent[]): void {
    if (text === '' && signature === undefined) return;
    if (!this.#isThinking) this.#begin();
    this.#isThinking = signature === undefined;
    if (text !== '') events.push({ type: 'reasoning-delta', text });
    const index = this.#entries - 1;
    const detail = { type: 'reasoning.text', text, format: GEMINI_FORMAT, index } as const;
    events.push({ type: 'reasoning-detail', detail: signature === undefined ? detail : { ...detail, signature } });
  }

  #sign(data: string, id: string | undefined, events: TurnEvent[]): void {
    this.#isThinking = false;
    const index = this.#begin();
    const detail = { type: 'reasoning.encrypted', data, format: GEMINI_FORMAT, index } as const;
    events.push({ type: 'reasoning-detail', detail: id === undefined ? detail : { ...detail, id } });
  }

  #begin(): number {
    if (this.#entries >= ENTRIES_MAX) throw new ProviderFailure('garbage', 'too many parts');
    return this.#entries++;
  }

  #call({ id: given, name, args }: Members, signature: string | undefined, events: TurnEvent[]): void {
    if (typeof name !== 'string' || name === '') throw new ProviderFailure('garbage', 'a tool call without a name');
    if (this.#calls >= ENTRIES_MAX) throw new ProviderFailure('garbage', 'too many tool calls');
    this.#isThinking = false;
    const index = this.#calls++;
    const id = typeof given === 'string' && given !== '' ? given.slice(0, ID_CHARACTERS_MAX) : this.#makeCallId(index);
    if (signature !== undefined) this.#sign(signature, id, events);
    events.push({ type: 'tool-start', index, id, name });
    events.push({ type: 'tool-delta', index, arguments: JSON.stringify(membersOf(args)) });
  }

  #picture({ mimeType, data }: Members, events: TurnEvent[]): void {
    if (typeof mimeType !== 'string' || !mimeType.startsWith('image/')) return;
    if (this.#images >= IMAGES_MAX) throw new ProviderFailure('garbage', 'too many images');
    this.#isThinking = false;
    const head = `data:${mimeType};base64,`;
    const url = data instanceof LongText ? data.startingWith(head) : `${head}${String(data)}`;
    events.push({ type: 'image', url: pictureUrl(url), index: this.#images++ });
  }

  #finish(reason: string, candidate: Members, events: TurnEvent[]): void {
    const native = reason.slice(0, NATIVE_CHARACTERS_MAX);
    if (MALFORMED.has(native)) throw new ProviderFailure('garbage', 'the model broke the form of its answer');
    addCitations(candidate, this.#text, events);
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.finished = true;
    events.push({ type: 'finish', reason: known === 'stop' && this.#calls > 0 ? 'tool_calls' : known, native });
  }

  /** The prompt was not answered. */
  #blocked(reason: unknown, feedback: unknown): ProviderFailure {
    const refusal = UNJUDGED.has(reason) ? undefined : ({ code: 'content_policy_violation' } as const);
    const failure = new ProviderFailure('rejected', 'the prompt was blocked', null, refusal);
    this.#note?.(JSON.stringify(feedback), failure);
    return failure;
  }
}
