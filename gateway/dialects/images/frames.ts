import type { GatewayError } from '../../terms/gateway-error.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing, ReplyFrames } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { type PictureText, pictureText } from './picture-text.ts';
import { usageText } from './usage-text.ts';

/**
 * Writes one stream of pictures: an event for each, as soon as the next one arrives. The last one waits for the end,
 * since it carries the usage of them all. An `error` event ends a stream that failed, behind the pictures that arrived.
 * (rule I102)
 */
export class ImagesFrames implements ReplyFrames {
  readonly #head: ReplyHead;
  #held: PictureText | null = null;

  constructor(head: ReplyHead) {
    this.#head = head;
  }

  of(events: readonly TurnEvent[]): string {
    let frames = '';
    for (const event of events) {
      if (event.type === 'image') {
        frames += this.#release();
        this.#held = pictureText(String(event.url));
      } else if (event.type === 'error') frames += this.#release() + failed(event.error);
    }
    return frames;
  }

  end(closing: Closing | null): string {
    return this.#release(closing === null ? '' : `,"usage":${usageText(closing)}`);
  }

  /** The event of the picture that waits; '' without one. */
  #release(usage = ''): string {
    if (this.#held === null) return '';
    const { members, format } = this.#held;
    this.#held = null;
    const { created } = this.#head;
    const times = `"created":${created},"created_at":${created}`;
    const output = format === null ? '' : `,"output_format":"${format}"`;
    return frame('image_generation.completed', `${members},${times}${output}${usage}`);
  }
}

function failed({ message, type, status, metadata }: GatewayError): string {
  const error = { code: type, message, param: null, type, metadata: { ...metadata, error_type: type, status } };
  return frame('error', `"error":${JSON.stringify(error)}`);
}

function frame(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
}
