import type { GatewayError } from '../../terms/gateway-error.ts';
import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Closing, ReplyFrames, ReplyHead } from '../reply/reply-dialect.ts';
import { usageText as chatUsageText } from '../reply/usage-text.ts';

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

/** The member `usage`: that of chat, and its counts under OpenAI's names for images. */
export function usageText({ usage, cost }: Closing): string {
  const { promptTokens: input, completionTokens: output } = usage;
  const names = `${input === undefined ? '' : `"input_tokens":${input},`}${
    output === undefined ? '' : `"output_tokens":${output},`
  }`;
  return `{${names}${chatUsageText(usage, cost).slice(1)}`;
}

/** Characters of a `data:` URL before its comma. */
const DATA_HEAD_CHARACTERS_MAX = 256;

/** The last part of a media type that OpenAI names as an `output_format`. */
const FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp']);

/** A generated picture as members of JSON text. */
interface PictureText {
  /** `b64_json` with the `media_type` that its `data:` URL names, or the `url` of a picture that is not sent as bytes. */
  readonly members: string;
  /** `png`, `jpeg` or `webp`; null for any other picture. */
  readonly format: string | null;
}

/** The picture of an `image` event. Any URL but base64 is passed on as it is and never fetched. */
export function pictureText(url: string): PictureText {
  const comma = url.slice(0, DATA_HEAD_CHARACTERS_MAX).indexOf(',');
  const head = url.slice(0, Math.max(0, comma));
  const [named = '', ...parameters] = head.slice('data:'.length).split(';');
  if (!head.toLowerCase().startsWith('data:') || parameters.at(-1)?.toLowerCase() !== 'base64') {
    return { members: `"url":${JSON.stringify(url)}`, format: null };
  }
  const type = mediaTypeName(named);
  const format = type.slice(type.indexOf('/') + 1);
  const mediaType = type === '' ? '' : `,"media_type":${JSON.stringify(type)}`;
  return {
    members: `"b64_json":${JSON.stringify(url.slice(comma + 1))}${mediaType}`,
    format: FORMATS.has(format) ? format : null,
  };
}
