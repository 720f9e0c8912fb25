import { invalid } from '../../terms/gateway-error.ts';
import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { ContentPart, MediaPart } from '../../terms/turn.ts';
import type { Carried } from '../request/carried.ts';
import { parseBytes, parseDocument, parseSource } from '../request/parse-source.ts';
import type { ChatPart } from './message-schema.ts';

/** Content of one message: all its text, and its parts if it has more than one text. */
export interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

/** Content parts as terms; `member` is their path in the body. Throws 400 for a part without a valid source. */
export function parseParts(wire: readonly ChatPart[], member: string, carried: Carried): Content {
  const texts: string[] = [];
  const parts: ContentPart[] = [];
  for (const [at, part] of wire.entries()) {
    if (part.type === 'text') {
      texts.push(part.text);
      parts.push({ type: 'text', text: part.text });
      continue;
    }
    parts.push(parseMedia(part, `${member}[${at}].${part.type}`, carried));
  }
  const text = texts.join('');
  return wire.length <= 1 && texts.length === wire.length ? { text } : { text, parts };
}

function parseMedia(part: Exclude<ChatPart, { type: 'text' }>, member: string, carried: Carried): MediaPart {
  const media = mediaOf(part, member, carried);
  carried.add(media.type);
  return media;
}

function mediaOf(part: Exclude<ChatPart, { type: 'text' }>, member: string, carried: Carried): MediaPart {
  switch (part.type) {
    case 'image_url': {
      const { url, detail } = part.image_url;
      const source = parseSource(url, `${member}.url`);
      return { type: 'image', source, ...(detail == null ? {} : { detail }) };
    }
    case 'video_url':
      return { type: 'video', source: parseSource(part.video_url.url, `${member}.url`) };
    case 'audio_url':
      return { type: 'audio', source: parseSource(part.audio_url.url, `${member}.url`) };
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { type: 'audio', source: parseBytes(data, mediaTypeName(`audio/${format}`), `${member}.data`) };
    }
    case 'file':
      return parseFile(part.file, member, carried);
  }
}

/** A document by its bytes, its URL or the id of a stored file. */
function parseFile(
  { file_id: id, file_data: data, filename }: Extract<ChatPart, { type: 'file' }>['file'],
  member: string,
  carried: Carried,
): MediaPart {
  if (id != null && data != null) {
    throw invalid(`${member} must name its document by file_id or by file_data, never both`);
  }
  const named = filename == null ? {} : { filename };
  if (data == null) {
    if (id == null) throw invalid(`${member} must have file_id or file_data`);
    return carried.addFile(id, `${member}.file_id`, named);
  }
  return { type: 'file', source: parseDocument(data, `${member}.file_data`), ...named };
}
