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
