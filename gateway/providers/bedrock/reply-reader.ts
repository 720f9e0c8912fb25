import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { EXCEPTION } from '../framing/amazon-frames.ts';
import { inBandFailure } from '../in-band-failure.ts';
import { ContentBlocks } from '../messages/blocks.ts';
import { readUsage } from '../messages/read-usage.ts';
import { membersOf, parsed } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';

/** Any unlisted value is an ordinary stop. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};
/** The model broke its own form: another try may succeed. */
const MALFORMED: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);
/** Statuses of the exceptions that may end a stream; any other one counts as the service's own. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  throttlingException: 429,
  serviceUnavailableException: 503,
  validationException: 400,
  modelTimeoutException: 408,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
};
const NATIVE_CHARACTERS_MAX = 64;
/** The reason of a whole answer that names none: it is complete. */
const WHOLE = 'end_turn';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the events of a Converse stream and whole answers. Their content blocks are those of the messages dialect under
 * other names.
 */
export class BedrockReader implements ReplyReader {
  finished = false;
  /** The service names its answers in a header alone. */
  readonly upstreamId = null;
  readonly #blocks: ContentBlocks;
  readonly #note: RefusalNote | undefined;
  /** The blocks that have begun: only a call has an event of its own for it. */
  readonly #begun = new Set<unknown>();
  #reported: Members = {};

  constructor(makeCallId: (index: number) => string, note?: RefusalNote) {
    this.#blocks = new ContentBlocks(makeCallId);
    this.#note = note;
  }

  get usage(): Usage {
    return readUsage(this.#reported);
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    const frame = parsed(data);
    switch (name) {
      case 'messageStart':
        return 'part';
      case 'contentBlockStart':
        if (!this.finished) this.#open(frame.contentBlockIndex, blockOf(membersOf(frame.start)), events);
        return 'part';
      case 'contentBlockDelta':
        if (!this.finished) this.#continue(frame.contentBlockIndex, membersOf(frame.delta), events);
        return 'part';
      case 'contentBlockStop':
        if (!this.finished) this.#blocks.close(frame.contentBlockIndex, events);
        return 'part';
      case 'messageStop':
        this.#finish(frame.stopReason, events);
        return 'part';
      case 'metadata':
        this.#report(frame.usage);
        return 'end';
      default:
        if (name?.endsWith(EXCEPTION)) throw this.#failure(name, frame);
        return 'nothing';
    }
  }

  readWhole(answer: Members, events: TurnEvent[]): void {
    const { content } = membersOf(membersOf(answer.output).message);
    if (!Array.isArray(content)) throw new ProviderFailure('garbage', 'the content is not a list');
    for (const block of content) this.#blocks.read(blockOf(membersOf(block)), events);
    this.#report(answer.usage);
    this.#finish(answer.stopReason ?? (events.length > 0 ? WHOLE : undefined), events);
  }

  #open(index: unknown, block: Members, events: TurnEvent[]): void {
    this.#begun.add(index);
    this.#blocks.open(index, block, events);
  }

  #continue(index: unknown, delta: Members, events: TurnEvent[]): void {
    if (!this.#begun.has(index)) {
      const { redactedContent } = membersOf(delta.reasoningContent);
      if (redactedContent !== undefined) {
        this.#open(index, blockOf(delta), events);
        return;
      }
      this.#open(index, delta.reasoningContent == null ? { type: 'text' } : { type: 'thinking' }, events);
    }
    this.#blocks.continue(index, deltaOf(delta), events);
  }

  #report(usage: unknown): void {
    const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = membersOf(usage);
    this.#reported = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadInputTokens,
      cache_creation_input_tokens: cacheWriteInputTokens,
      cache_creation: writesOf(cacheDetails),
    };
  }

  #finish(reason: unknown, events: TurnEvent[]): void {
    if (typeof reason !== 'string' || reason === '' || this.finished) return;
    const native = reason.slice(0, NATIVE_CHARACTERS_MAX);
    if (MALFORMED.has(native)) throw new ProviderFailure('garbage', 'the model broke the form of its answer');
    const known = Object.hasOwn(FINISHES, native) ? (FINISHES[native] as FinishReason) : 'stop';
    this.finished = true;
    events.push({ type: 'finish', reason: known === 'stop' && this.#blocks.calls > 0 ? 'tool_calls' : known, native });
  }

  #failure(name: string, frame: Members): ProviderFailure {
    return inBandFailure({ ...frame, type: name, status: EXCEPTIONS[name] ?? 500 }, this.#note);
  }
}

/** A content block under the names of the messages dialect. */
function blockOf(block: Members): Members {
  const { text, toolUse, reasoningContent, image, citationsContent } = block;
  if (typeof text === 'string') return { type: 'text', text };
  if (toolUse != null) {
    const { toolUseId, name, input } = membersOf(toolUse);
    return { type: 'tool_use', id: toolUseId, name, input };
  }
  if (reasoningContent != null) {
    const { reasoningText, redactedContent } = membersOf(reasoningContent);
    if (redactedContent != null) return { type: 'redacted_thinking', data: redactedContent };
    const { text: thinking, signature } = membersOf(reasoningText);
    return { type: 'thinking', thinking, signature };
  }
  if (image != null) {
    const { format, source } = membersOf(image);
    const data = membersOf(source).bytes;
    return { type: 'image', source: { type: 'base64', media_type: `image/${String(format)}`, data } };
  }
  return citationsContent == null ? {} : citedText(membersOf(citationsContent));
}

/** A cited passage as a text: its citations name documents of the request, for which no dialect has a form. */
function citedText({ content }: Members): Members {
  const texts = Array.isArray(content) ? content.map((part: unknown) => membersOf(part).text) : [];
  return { type: 'text', text: texts.filter((each) => typeof each === 'string').join('') };
}

function deltaOf({ text, toolUse, reasoningContent }: Members): Members {
  if (typeof text === 'string') return { type: 'text_delta', text };
  if (toolUse != null) return { type: 'input_json_delta', partial_json: membersOf(toolUse).input };
  const { text: thinking, signature } = membersOf(reasoningContent);
  return signature === undefined ? { type: 'thinking_delta', thinking } : { type: 'signature_delta', signature };
}

/** Tokens written to the cache, by how long they stay there. */
function writesOf(details: unknown): Members {
  if (!Array.isArray(details)) return {};
  const writes: Record<string, unknown> = {};
  for (const detail of details) {
    const { ttl, inputTokens } = membersOf(detail);
    if (ttl === '1h' || ttl === '5m') writes[`ephemeral_${ttl}_input_tokens`] = inputTokens;
  }
  return writes;
}
