import type { ReasoningDetail, ToolCall } from '../../terms/turn.ts';
import type { Citation, FinishReason, TurnEvent } from '../../terms/turn-event.ts';

/** A whole answer, gathered from its events. Null or empty: absent. */
export interface GatheredAnswer {
  readonly text: string | null;
  readonly reasoning: string;
  /** Fragments of one entry are joined; entries are in the order in which they began. */
  readonly reasoningDetails: readonly ReasoningDetail[] | null;
  readonly refusal: string;
  readonly toolCalls: readonly ToolCall[] | null;
  readonly images: readonly { readonly url: string; readonly index: number }[] | null;
  readonly audio: GatheredSpeech | null;
  readonly citations: readonly Citation[] | null;
  readonly logprobs: Logprobs | null;
  readonly finish: { readonly reason: FinishReason; readonly native: string | null } | null;
}

/** Generated speech, its pieces joined. `expiresAt` is Unix seconds. */
interface GatheredSpeech {
  readonly id?: string;
  readonly data?: string;
  readonly transcript?: string;
  readonly expiresAt?: number;
}

export interface Logprobs {
  readonly content: readonly unknown[] | null;
  readonly refusal: readonly unknown[] | null;
}

type Mutable<T> = { -readonly [member in keyof T]: T[member] };

interface Gathering extends Mutable<GatheredAnswer> {
  reasoningDetails: Mutable<ReasoningDetail>[] | null;
  toolCalls: Mutable<ToolCall>[] | null;
  images: { url: string; index: number }[] | null;
  citations: Citation[] | null;
}

/** Gathers the events of a turn, for dialects that write a reply in one piece. */
export function gatherAnswer(events: readonly TurnEvent[]): GatheredAnswer {
  const answer: Gathering = {
    text: null,
    reasoning: '',
    reasoningDetails: null,
    refusal: '',
    toolCalls: null,
    images: null,
    audio: null,
    citations: null,
    logprobs: null,
    finish: null,
  };
  for (const event of events) gather(answer, event);
  // Unused indexes leave no holes.
  if (answer.toolCalls !== null) answer.toolCalls = answer.toolCalls.filter(Boolean);
  return answer;
}

function gather(answer: Gathering, event: TurnEvent): void {
  switch (event.type) {
    case 'text-delta':
      answer.text = answer.text === null ? event.text : answer.text + event.text;
      break;
    case 'reasoning-delta':
      answer.reasoning += event.text;
      break;
    case 'reasoning-detail':
      answer.reasoningDetails ??= [];
      addDetail(answer.reasoningDetails, event.detail);
      break;
    case 'refusal-delta':
      answer.refusal += event.text;
      break;
    case 'tool-start':
      answer.toolCalls ??= [];
      answer.toolCalls[event.index] = { id: event.id, name: event.name, arguments: '' };
      break;
    case 'tool-delta': {
      const call = answer.toolCalls?.[event.index];
      if (call) call.arguments += event.arguments;
      break;
    }
    case 'image':
      answer.images ??= [];
      answer.images.push({ url: String(event.url), index: event.index });
      break;
    case 'audio-delta':
      answer.audio = joined(answer.audio ?? {}, event);
      break;
    case 'citation':
      answer.citations ??= [];
      answer.citations.push(event.citation);
      break;
    case 'logprobs':
      answer.logprobs = {
        content: concatenated(answer.logprobs?.content, event.content),
        refusal: concatenated(answer.logprobs?.refusal, event.refusal),
      };
      break;
    case 'finish':
      answer.finish = { reason: event.reason, native: event.native };
      break;
    case 'embeddings':
    case 'ranking':
    case 'usage':
    case 'error':
      break;
  }
}

/** Joins fragments of one index and type; an entry without an index is complete. */
export function addDetail(details: Mutable<ReasoningDetail>[], detail: ReasoningDetail): void {
  const { index, type } = detail;
  const entry = index === undefined ? undefined : details.find((each) => each.index === index && each.type === type);
  if (!entry) {
    details.push({ ...detail });
    return;
  }
  if (detail.text != null) entry.text = (entry.text ?? '') + detail.text;
  if (detail.summary !== undefined) entry.summary = (entry.summary ?? '') + detail.summary;
  if (detail.data !== undefined) entry.data = (entry.data ?? '') + detail.data;
  if (detail.signature != null) entry.signature = detail.signature;
  if (entry.format == null && detail.format !== undefined) entry.format = detail.format;
  if (entry.id == null && detail.id !== undefined) entry.id = detail.id;
}

function joined(speech: GatheredSpeech, piece: Extract<TurnEvent, { type: 'audio-delta' }>): GatheredSpeech {
  const { id, data, transcript, expiresAt } = piece;
  const next: Mutable<GatheredSpeech> = { ...speech };
  if (id !== undefined) next.id = id;
  if (data !== undefined) next.data = `${speech.data ?? ''}${data}`;
  if (transcript !== undefined) next.transcript = (speech.transcript ?? '') + transcript;
  if (expiresAt !== undefined) next.expiresAt = expiresAt;
  return next;
}

function concatenated(
  before: readonly unknown[] | null | undefined,
  more: readonly unknown[] | undefined,
): readonly unknown[] | null {
  if (more === undefined) return before ?? null;
  return before == null ? more : before.concat(more);
}
