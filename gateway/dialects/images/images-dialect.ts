import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import {
  type Closing,
  JSON_REPLY,
  KEEP_ALIVE,
  PROCESSING,
  type ReplyDialect,
  type ReplyHead,
} from '../reply/reply-dialect.ts';
import { membersOf } from '../request/read-members.ts';
import { ImagesFrames, pictureText, usageText } from './frames.ts';
import { parse } from './parse.ts';
import { imagesRequest } from './request-schema.ts';

const SETTING = /^image_config\.(\w{1,64})$/;
const REFERENCE = /^messages\[0\]\.content\[(\d{1,6})\](\.image_url.{0,64})?$/;

/** A path of a chat request in an image generation, whose references follow the prompt; null where it has none. */
export function pathOf(path: string): string | null {
  const name = SETTING.exec(path)?.[1] ?? path;
  if (Object.hasOwn(imagesRequest.properties, name)) return name;
  const [, nth = '0', member = ''] = REFERENCE.exec(path) ?? [];
  if (nth !== '0') return `input_references[${Number(nth) - 1}]${member}`;
  return path.startsWith('messages') ? 'prompt' : null;
}

/**
 * The pictures of a turn as JSON text, with the reported usage and the exact charge; everything else in the answer has
 * no counterpart in this dialect. `closing: null`: no charge is recorded, so `usage` is left out. (rule I101)
 */
export function render(head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null): string {
  const data: string[] = [];
  for (const event of events) if (event.type === 'image') data.push(`{${pictureText(String(event.url)).members}}`);
  const served = `"model":${JSON.stringify(head.model)},"provider":${JSON.stringify(head.provider)}`;
  const usage = closing === null ? '' : `,"usage":${usageText(closing)}`;
  return `{"id":${JSON.stringify(head.id)},"created":${head.created},${served},"data":[${data.join(',')}]${usage}}`;
}

/** Writes the answer to an image generation. */
const REPLY: ReplyDialect = {
  type: JSON_REPLY,
  whole: render,
  frames: (head) => new ImagesFrames(head),
  processing: PROCESSING,
  keepAlive: KEEP_ALIVE,
  pathOf,
};

/** Image generations. (rule I100) */
export const imagesDialect: Dialect = {
  members: membersOf(imagesRequest),
  parse: (body, session) => ({ turn: parse(body, session), reply: REPLY }),
  errorEnvelope: () => standardEnvelope,
};
