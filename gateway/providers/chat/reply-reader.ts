import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { Frame, ReplyReader } from '../reply-reader.ts';
import { readUsage } from './read-usage.ts';
import { ToolCalls } from './tool-calls.ts';

const TERMINATOR = '[DONE]';
const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;

/** What providers call their ends, beside the standard words. Any other word is an ordinary stop. */
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

/**
 * Turns chat completion objects, chunks of a stream or a whole reply, into events. Keeps what must be known across
 * chunks: open tool calls, the finish, the newest usage. Throws `ProviderFailure` for what is no answer.
 */
export class ChatReader implements ReplyReader {
  finished = false;
  usage: Usage = {};
  upstreamId: string | null = null;
  readonly #calls: ToolCalls;

  constructor(makeCallId: (index: number) => string) {
    this.#calls = new ToolCalls(makeCallId);
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): Frame {
    if (data === TERMINATOR) return 'end';
    if (name === 'error') throw new ProviderFailure('unavailable', 'an error event');
    this.#read(data, 'delta', events);
    return 'part';
  }

  readWhole(text: string, events: TurnEvent[]): void {
    this.#read(text, 'message', events);
  }

  /** Adds the events of one object to `events`. `part` is the member of a choice that carries the answer. */
  #read(text: string, part: 'delta' | 'message', events: TurnEvent[]): void {
    const chunk = parsed(text);
    if (chunk.error != null && chunk.error !== false) throw inBand(chunk.error);
    if (this.upstreamId === null && typeof chunk.id === 'string' && chunk.id !== '') {
      this.upstreamId = chunk.id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
    }
    if (chunk.usage != null) this.usage = readUsage(chunk.usage) ?? this.usage;
    if (chunk.choices == null) return;
    if (!Array.isArray(chunk.choices)) throw new ProviderFailure('garbage', 'choices is no list');
    const choice = chunk.choices[0] as Readonly<Record<string, unknown>> | null | undefined;
    if (choice == null || this.finished) return;
    if (typeof choice !== 'object') throw new ProviderFailure('garbage', 'a choice is no object');
    this.#readPart(choice[part], events);
    if (choice.finish_reason != null && choice.finish_reason !== '') this.#finish(choice.finish_reason, events);
  }

  #readPart(part: unknown, events: TurnEvent[]): void {
    if (part == null) return;
    if (typeof part !== 'object') throw new ProviderFailure('garbage', 'the answer of a choice is no object');
    const delta = part as Readonly<Record<string, unknown>>;
    const reasoning = textOf(delta.reasoning) || textOf(delta.reasoning_content);
    if (reasoning !== '') events.push({ type: 'reasoning-delta', text: reasoning });
    const text = textOf(delta.content);
    if (text !== '') events.push({ type: 'text-delta', text });
    const refusal = textOf(delta.refusal);
    if (refusal !== '') events.push({ type: 'refusal-delta', text: refusal });
    this.#calls.read(delta.tool_calls, events);
  }

  #finish(reason: unknown, events: TurnEvent[]): void {
    const native = String(reason).slice(0, NATIVE_CHARACTERS_MAX);
    if (native === 'error') throw new ProviderFailure('unavailable', 'finished with an error');
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.finished = true;
    events.push({ type: 'finish', reason: known === 'stop' && this.#calls.count > 0 ? 'tool_calls' : known, native });
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderFailure('garbage', 'what came is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw new ProviderFailure('garbage', 'what came is no object');
  return value as Readonly<Record<string, unknown>>;
}

/** Plain text, or the text parts of a list. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** An error told inside a 200. Its code decides only between full and broken. */
function inBand(error: unknown): ProviderFailure {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : null;
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? code : null;
  const full = status === 429 || status === 503 || status === 529;
  return new ProviderFailure(full ? 'overloaded' : 'unavailable', `an error in place of an answer`, status);
}
