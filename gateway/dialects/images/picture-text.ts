import { mediaTypeName } from '../../terms/media-type-name.ts';

/** Characters of a `data:` URL before its comma. */
const DATA_HEAD_CHARACTERS_MAX = 256;

/** The last part of a media type that OpenAI names as an `output_format`. */
const FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp']);

/** A generated picture as members of JSON text. */
export interface PictureText {
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
