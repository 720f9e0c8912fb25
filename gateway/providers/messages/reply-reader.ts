import type { FinishReason, RefusalDetails, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { errorIn, inBandFailure } from '../in-band-failure.ts';
import { parsed, stopSequence } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';
import { ContentBlocks } from './blocks.ts';
import { readUsage } from './read-usage.ts';

const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;
/** Details of a refusal beyond these are left out. */
const CATEGORY_CHARACTERS_MAX = 64;
const EXPLANATION_CHARACTERS_MAX = 4_096;
/** The reason of a whole answer that names none: it is complete. */
const WHOLE = 'end_turn';

/** Any unlisted value is an ordinary stop. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

type Members = Readonly<Record<string, unknown>>;

/** Reads a messages stream by the names of its events, and whole messages. Ignores events with other names. */
export class MessagesReader implements ReplyReader {
  finished = false;
  upstreamId: string | null = null;
  readonly #blocks: ContentBlocks;
  readonly #note: RefusalNote | undefined;
  /** The usage so far: the opening event reports the prompt, the end reports all counts. */
  #reported: Members = {};

  constructor(makeCallId: (index: number) => string, note?: RefusalNote) {
    this.#note = note;
    this.#blocks = new ContentBlocks(makeCallId);
  }

  get usage(): Usage {
    return readUsage(this.#reported);
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    if (name === 'ping') return 'nothing';
    const frame = parsed(data);
    const error = errorIn(frame);
    if (error !== null) throw inBandFailure(error, this.#note);
    return this.#read(name ?? frame.type, frame, events);
  }

  readWhole(message: Members, events: TurnEvent[]): void {
    if (typeof message.usage === 'object' && message.usage !== null) this.#reported = message.usage as Members;
    const error = errorIn(message);
    if (message.type === 'error' || error !== null) throw inBandFailure(error, this.#note);
    if (!Array.isArray(message.content)) throw new ProviderFailure('garbage', 'the content is not a list');
    this.#identify(message);
    for (const block of message.content) this.#blocks.read(block, events);
    this.#finish({ ...message, stop_reason: message.stop_reason || (events.length > 0 ? WHOLE : null) }, events);
  }

  #read(name: unknown, frame: Members, events: TurnEvent[]): FrameKind {
    switch (name) {
      case 'message_start':
        this.#start(frame.message);
        return 'part';
      case 'content_block_start':
        if (!this.finished) this.#blocks.open(frame.index, frame.content_block, events);
        return 'part';
      case 'content_block_delta':
        if (!this.finished) this.#blocks.continue(frame.index, frame.delta, events);
        return 'part';
      case 'content_block_stop':
        if (!this.finished) this.#blocks.close(frame.index, events);
        return 'part';
      case 'message_delta':
        this.#report(frame.usage);
        if (!this.finished) this.#finish((frame.delta ?? {}) as Members, events);
        return 'part';
      case 'message_stop':
        return 'end';
      case 'error':
        throw inBandFailure(null, this.#note);
      default:
        return 'nothing';
    }
  }

  #start(opening: unknown): void {
    if (typeof opening !== 'object' || opening === null)
      throw new ProviderFailure('garbage', 'a start without a message');
    const message = opening as Members;
    const known = this.upstreamId;
    this.#identify(message);
    // Two generations on one connection: their blocks have the same indexes and would become one answer.
    if (known !== null && known !== this.upstreamId) {
      this.upstreamId = known;
      throw new ProviderFailure('garbage', 'a second message begins in the stream');
    }
    if (typeof message.usage !== 'object' || message.usage === null) return;
    // The answer's count is a placeholder here; it would be wrong for an answer that breaks off.
    this.#report({ ...message.usage, output_tokens: null, output_tokens_details: null });
  }

  #identify({ id }: Members): void {
    if (typeof id === 'string' && id !== '') this.upstreamId = id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
  }

  /** Running totals: a later one replaces an earlier one, an omitted one keeps it. */
  #report(usage: unknown): void {
    if (typeof usage !== 'object' || usage === null) return;
    const given = Object.entries(usage).filter(([, value]) => value != null);
    this.#reported = { ...this.#reported, ...Object.fromEntries(given) };
  }

  #finish({ stop_reason: reason, stop_sequence: sequence, stop_details: details }: Members, events: TurnEvent[]): void {
    if (reason == null || reason === '') return;
    const native = String(reason).slice(0, NATIVE_CHARACTERS_MAX);
    if (native === 'error') throw new ProviderFailure('unavailable', 'the finish reason is an upstream error');
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.finished = true;
    const finish = known === 'stop' && this.#blocks.calls > 0 ? 'tool_calls' : known;
    events.push({ type: 'finish', reason: finish, native, ...stopSequence(sequence), ...refusedBy(details) });
  }
}

/** The member of a `finish` that says why the provider refused; none for anything but the details of a refusal. */
function refusedBy(details: unknown): { readonly refused?: RefusalDetails } {
  if (typeof details !== 'object' || details === null) return {};
  const { type, category, explanation } = details as Members;
  if (type !== 'refusal') return {};
  return {
    refused: {
      category: shortText(category, CATEGORY_CHARACTERS_MAX),
      explanation: shortText(explanation, EXPLANATION_CHARACTERS_MAX),
    },
  };
}

function shortText(value: unknown, charactersMax: number): string | null {
  return typeof value === 'string' && value.length <= charactersMax ? value : null;
}
