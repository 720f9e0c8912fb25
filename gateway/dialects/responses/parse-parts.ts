import { invalid } from '../../terms/gateway-error.ts';
import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { ContentPart, MediaPart } from '../../terms/turn.ts';
import type { Carried } from '../request/carried.ts';
import { parseBytes, parseDocument, parseSource } from '../request/parse-source.ts';
import type { InputPart } from './input-schema.ts';

/** Content of one item: all its text, and its parts if it has more than one text. */
interface ItemContent {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

/** Content of an item that is not the model's own. Throws 400 for a part without a valid source. */
export function parseContent(wire: string | readonly InputPart[], member: string, carried: Carried): ItemContent {
  if (typeof wire === 'string') return { text: wire };
  const texts: string[] = [];
  const parts: ContentPart[] = [];
  for (const [at, part] of wire.entries()) {
    const text = textOf(part);
    if (text !== null) {
      texts.push(text);
      parts.push({ type: 'text', text });
      continue;
    }
    const media = mediaOf(part, `${member}[${at}]`, carried);
    carried.add(media.type);
    parts.push(media);
  }
  const text = texts.join('');
  return wire.length <= 1 && texts.length === wire.length ? { text } : { text, parts };
}

/** What the model itself has said: its text with the transcript of its speech, and its refusal. */
interface Said {
  readonly text: string | null;
  readonly refusal: string | null;
}

/**
 * Content of a message of the model, as an earlier answer carried it. Its pictures are left out: no provider dialect
 * has a place for them in the model's own turns. Throws 400 for other media.
 */
export function parseSaid(wire: string | readonly InputPart[], member: string): Said {
  if (typeof wire === 'string') return { text: wire, refusal: null };
  let text: string | null = null;
  let refusal: string | null = null;
  for (const [at, part] of wire.entries()) {
    if (part.type === 'refusal') refusal = (refusal ?? '') + part.refusal;
    else if (part.type !== 'output_image') {
      const said = textOf(part);
      if (said === null) throw invalid(`${member}[${at}].type: an assistant message has no ${part.type}`);
      text = (text ?? '') + said;
    }
  }
  return { text, refusal };
}

/** Null for media. */
function textOf(part: InputPart): string | null {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text;
    case 'refusal':
      return part.refusal;
    case 'output_audio':
      return part.transcript ?? '';
    default:
      return null;
  }
}

function mediaOf(part: InputPart, member: string, carried: Carried): MediaPart {
  switch (part.type) {
    case 'input_image':
      return imageOf(part, member, carried);
    case 'input_file':
      return fileOf(part, member, carried);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      const at = `${member}.input_audio.data`;
      return { type: 'audio', source: parseBytes(data, mediaTypeName(`audio/${format}`), at) };
    }
    default:
      throw invalid(`${member}.type: ${part.type} belongs in assistant messages`);
  }
}

function imageOf(
  { image_url: url, file_id: id, detail }: Extract<InputPart, { type: 'input_image' }>,
  member: string,
  carried: Carried,
): MediaPart {
  if (id != null && url != null) throw invalid(`${member} must name its image by file_id or by image_url, never both`);
  if (id != null) return carried.addFile(id, `${member}.file_id`);
  if (url == null) throw invalid(`${member} must have image_url or file_id`);
  const source = parseSource(url, `${member}.image_url`);
  return { type: 'image', source, ...(detail == null ? {} : { detail }) };
}

/** A document by its bytes, its URL or the id of a stored file. (rule I84, rule I39) */
function fileOf(
  { file_id: id, file_data: data, file_url: url, filename }: Extract<InputPart, { type: 'input_file' }>,
  member: string,
  carried: Carried,
): MediaPart {
  const given = [id, data, url].filter((each) => each != null).length;
  if (given > 1) throw invalid(`${member} must name its document by one of file_id, file_data and file_url`);
  const named = filename == null ? {} : { filename };
  if (id != null) return carried.addFile(id, `${member}.file_id`, named);
  if (url != null) return { type: 'file', source: parseSource(url, `${member}.file_url`), ...named };
  if (data == null) throw invalid(`${member} must have file_id, file_data or file_url`);
  return { type: 'file', source: parseDocument(data, `${member}.file_data`), ...named };
}
