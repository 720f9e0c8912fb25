import type { Citation, TurnEvent } from '../../terms/turn-event.ts';
import { errorMember } from '../reply/error-envelope.ts';
import type { Closing, ReplyFrames, ReplyHead } from '../reply/reply-dialect.ts';
import { DONE } from '../reply/reply-dialect.ts';
import { usageText } from '../reply/usage-text.ts';
import { annotationText, audioText, imageText, logprobsText } from './media-text.ts';
import { ToolDispatch } from './tool-dispatch.ts';

interface FramesOptions {
  /** Reasoning is not shown to the client. */
  readonly hidden: boolean;
  /** Tool calls are announced as soon as they are complete. */
  readonly dispatch: boolean;
}

/**
 * Writes one chat stream as text frames. Repeated parts are rendered once; upstream text is only ever written inside
 * JSON strings, so no text can end a frame. The first delta carries the role, the first fragment of a tool call its id,
 * name and type; the fragments add up to what `render` writes whole. (rule I53, rule I50)
 */
export class ChatFrames implements ReplyFrames {
  readonly #opening: string;
  readonly #hidden: boolean;
  readonly #dispatch: ToolDispatch | null;
  /** Wait for the finish: clients keep the `annotations` of one chunk only. */
  #citations: readonly Citation[] = [];
  #role = '"role":"assistant",';

  constructor(head: ReplyHead, { hidden, dispatch }: FramesOptions) {
    this.#opening = `data: {"id":${JSON.stringify(head.id)},"object":"chat.completion.chunk","created":${
      head.created
    },"model":${JSON.stringify(head.model)},"provider":${JSON.stringify(head.provider)},`;
    this.#hidden = hidden;
    this.#dispatch = dispatch ? new ToolDispatch() : null;
  }

  of(events: readonly TurnEvent[]): string {
    let frames = '';
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent;
      if (this.#dispatch !== null) frames += this.#dispatch.before(event);
      switch (event.type) {
        case 'text-delta':
        case 'refusal-delta': {
          const next = events[at + 1];
          const scored = next?.type === 'logprobs';
          if (scored) at++;
          frames += this.#delta(textMembers(event), scored ? scores(next) : '');
          break;
        }
        case 'reasoning-delta':
        case 'reasoning-detail': {
          const end = endOfReasoning(events, at);
          // Scores contain the tokens they score: those of hidden reasoning are hidden as well.
          if (!this.#hidden) frames += this.#delta(reasoningMembers(events, at, end));
          at = this.#hidden && events[end]?.type === 'logprobs' ? end : end - 1;
          break;
        }
        default:
          frames += this.#frame(event);
      }
    }
    return frames;
  }

  /** The last chunk of a charged stream has no choices: it carries usage and `honoured`. */
  end(closing: Closing | null): string {
    if (closing === null) return DONE;
    const { usage, cost, honoured } = closing;
    return `${this.#opening}"choices":[],"usage":${usageText(usage, cost)},"honoured":${JSON.stringify(honoured)}}\n\n${DONE}`;
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case 'tool-start':
        return this.#toolDelta(
          `{"index":${event.index},"id":${JSON.stringify(event.id)},"type":"function","function":{"name":${JSON.stringify(
            event.name,
          )},"arguments":""}}`,
        );
      case 'tool-delta':
        return this.#toolDelta(`{"index":${event.index},"function":{"arguments":${JSON.stringify(event.arguments)}}}`);
      case 'image':
        return this.#delta(`"content":"","images":[${imageText(event)}]`);
      case 'audio-delta':
        return this.#delta(`"audio":${audioText(event)}`);
      case 'citation':
        this.#citations = this.#citations.concat(event.citation);
        return '';
      case 'logprobs':
        return this.#delta('"content":""', scores(event));
      case 'finish':
        return this.#annotations() + this.#finish(event.reason, event.native);
      case 'error':
        return `${this.#opening}"error":${errorMember(event.error)},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n`;
      default:
        // Usage waits for the charge; all other events have had their frame.
        return '';
    }
  }

  #delta(members: string, scored = ''): string {
    return `${this.#opening}"choices":[{"index":0,"delta":{${this.#takeRole()}${members}}${scored},"finish_reason":null}]}\n\n`;
  }

  #toolDelta(call: string): string {
    const content = this.#role === '' ? '' : '"content":null,';
    return this.#delta(`${content}"tool_calls":[${call}]`);
  }

  #annotations(): string {
    if (this.#citations.length === 0) return '';
    return this.#delta(`"content":"","annotations":[${this.#citations.map(annotationText).join(',')}]`);
  }

  #finish(reason: string, native: string | null): string {
    const delta = this.#role === '' ? '' : `${this.#takeRole()}"content":""`;
    return `${this.#opening}"choices":[{"index":0,"delta":{${delta}},"finish_reason":"${reason}","native_finish_reason":${JSON.stringify(
      native,
    )}}]}\n\n`;
  }

  #takeRole(): string {
    const role = this.#role;
    this.#role = '';
    return role;
  }
}

type TextEvent = Extract<TurnEvent, { type: 'text-delta' | 'refusal-delta' }>;

function textMembers(event: TextEvent): string {
  return event.type === 'text-delta'
    ? `"content":${JSON.stringify(event.text)}`
    : `"content":"","refusal":${JSON.stringify(event.text)}`;
}

function scores({ content, refusal }: Extract<TurnEvent, { type: 'logprobs' }>): string {
  return `,"logprobs":${logprobsText({ content: content ?? null, refusal: refusal ?? null })}`;
}

/** The end of the run of plain and structured reasoning that one frame carries: clients read one form, never both. */
function endOfReasoning(events: readonly TurnEvent[], from: number): number {
  let end = from + 1;
  while (events[end]?.type === 'reasoning-delta' || events[end]?.type === 'reasoning-detail') end++;
  return end;
}

function reasoningMembers(events: readonly TurnEvent[], from: number, end: number): string {
  let text = '';
  let details = '';
  for (let at = from; at < end; at++) {
    const event = events[at] as TurnEvent;
    if (event.type === 'reasoning-delta') text += event.text;
    if (event.type === 'reasoning-detail') details += `${details === '' ? '' : ','}${JSON.stringify(event.detail)}`;
  }
  const plain = text === '' ? '' : `,"reasoning":${JSON.stringify(text)}`;
  return `"content":""${plain}${details === '' ? '' : `,"reasoning_details":[${details}]`}`;
}
