import type { GatewayError } from '../../terms/gateway-error.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import { errorMember } from './error-member.ts';
import type { ReplyHead } from './reply-head.ts';
import { usageText } from './usage-text.ts';

/** Comments end in one newline: a blank line would dispatch an empty event in some clients. */
export const PROCESSING = ': processing\n';
export const KEEP_ALIVE = ': keep-alive\n';
export const DONE = 'data: [DONE]\n\n';

/**
 * One chat stream as text frames. Everything that repeats is rendered once; upstream text only ever stands inside JSON
 * strings, so no text can end a frame. The first delta carries the role, the first fragment of a tool call its id,
 * name and type. (spec: inference, Chat stream; conventions 0.3)
 */
export class Frames {
  readonly #opening: string;
  #role = '"role":"assistant",';

  constructor(head: ReplyHead) {
    this.#opening = `data: {"id":${JSON.stringify(head.id)},"object":"chat.completion.chunk","created":${
      head.created
    },"model":${JSON.stringify(head.model)},"provider":${JSON.stringify(head.provider)},`;
  }

  /** The frames of what arrived together, as one text. Usage waits for the charge and has no frame here. */
  of(events: readonly TurnEvent[]): string {
    let frames = '';
    for (const event of events) frames += this.#frame(event);
    return frames;
  }

  /** Last before the end of a charged stream. `honoured`: the asked settings that the endpoint declares, or not. */
  usage(usage: Usage, cost: string, honoured: Readonly<Record<string, boolean>>): string {
    return `${this.#opening}"choices":[],"usage":${usageText(usage, cost)},"honoured":${JSON.stringify(honoured)}}\n\n`;
  }

  error(error: GatewayError): string {
    return `${this.#opening}"error":${errorMember(error)},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n`;
  }

  #frame(event: TurnEvent): string {
    switch (event.type) {
      case 'text-delta':
        return this.#delta(`"content":${JSON.stringify(event.text)}`);
      case 'reasoning-delta':
        return this.#delta(`"content":"","reasoning":${JSON.stringify(event.text)}`);
      case 'refusal-delta':
        return this.#delta(`"content":"","refusal":${JSON.stringify(event.text)}`);
      case 'tool-start':
        return this.#toolDelta(
          `{"index":${event.index},"id":${JSON.stringify(event.id)},"type":"function","function":{"name":${JSON.stringify(
            event.name,
          )},"arguments":""}}`,
        );
      case 'tool-delta':
        return this.#toolDelta(`{"index":${event.index},"function":{"arguments":${JSON.stringify(event.arguments)}}}`);
      case 'finish':
        return this.#finish(event.reason, event.native);
      case 'reasoning-detail':
      case 'image':
      case 'audio-delta':
      case 'logprobs':
      case 'usage':
        return '';
      case 'error':
        return this.error(event.error);
    }
  }

  #delta(members: string): string {
    return `${this.#opening}"choices":[{"index":0,"delta":{${this.#takeRole()}${members}},"finish_reason":null}]}\n\n`;
  }

  #toolDelta(call: string): string {
    const content = this.#role === '' ? '' : '"content":null,';
    return this.#delta(`${content}"tool_calls":[${call}]`);
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
