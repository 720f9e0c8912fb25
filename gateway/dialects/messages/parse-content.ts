import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { CacheTime, ContentPart, MediaPart, MediaSource } from '../../terms/turn.ts';
import type { Carried } from '../request/carried.ts';
import { parseBytes, parseSource } from '../request/parse-source.ts';
import type { WireCacheControl, WireContentBlock } from './message-schema.ts';

/** Content of one message: all its text, and its parts if it has more than one unmarked text. */
interface ParsedContent {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

type MediaBlock = Exclude<WireContentBlock, { type: 'text' }>;

/** A block, and its place in the list that the caller sent. */
export type PlacedBlock<Block> = readonly [at: number, block: Block];

/** Blocks as terms; `member` is the path of their list. Throws 400 for media without a valid source. */
export function parseContent(
  blocks: readonly PlacedBlock<WireContentBlock>[],
  member: string,
  carried: Carried,
): ParsedContent {
  const parts = blocks.map(([at, block]): ContentPart => {
    if (block.type === 'text') return { type: 'text', text: block.text, ...cacheMark(block) };
    const media = mediaOf(block, `${member}[${at}].source`, carried);
    carried.add(media.type);
    return media;
  });
  return contentOf(parts);
}

/** The shortest form of some parts. */
export function contentOf(parts: readonly ContentPart[]): ParsedContent {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const [first] = parts;
  const isPlain = first === undefined || (parts.length === 1 && first.type === 'text' && first.cacheFor === undefined);
  return isPlain ? { text } : { text, parts };
}

/** The mark of a block or a tool; nothing without one. */
export function cacheMark({ cache_control: mark }: { readonly cache_control?: WireCacheControl | null }): {
  readonly cacheFor?: CacheTime;
} {
  return mark == null ? {} : { cacheFor: mark.ttl ?? '5m' };
}

function mediaOf(block: MediaBlock, member: string, carried: Carried): MediaPart {
  const { source } = block;
  const beside = { ...(block.type === 'document' ? describedBy(block) : {}), ...cacheMark(block) };
  // The part of a stored file is found again by its identity.
  if (source.type === 'file') return carried.addFile(source.file_id, `${member}.file_id`, beside);
  return { type: block.type === 'image' ? 'image' : 'file', source: sourceOf(source, member), ...beside };
}

function describedBy({ title, context }: Extract<MediaBlock, { type: 'document' }>): Partial<MediaPart> {
  return { ...(title == null ? {} : { filename: title }), ...(context == null ? {} : { context }) };
}

function sourceOf(source: Exclude<MediaBlock['source'], { type: 'file' }>, member: string): MediaSource {
  switch (source.type) {
    case 'url':
      return parseSource(source.url, `${member}.url`);
    case 'base64':
      return parseBytes(source.data, mediaTypeName(source.media_type), `${member}.data`);
    case 'text':
      return { kind: 'data', mediaType: 'text/plain', base64: Buffer.from(source.data).toString('base64') };
  }
}

const DATA = /^data:([a-z0-9.+/-]{1,64});base64,/i;
/** Characters of a `data:` URL before its bytes. */
const HEAD_CHARACTERS_MAX = 96;

/** The source of a generated picture, as JSON text: its bytes, or the URL that the endpoint returned. */
export function imageSource(url: string): string {
  const head = DATA.exec(url.slice(0, HEAD_CHARACTERS_MAX));
  if (head === null) return `{"type":"url","url":${JSON.stringify(url)}}`;
  const [{ length }, mediaType = ''] = head;
  return `{"type":"base64","media_type":${JSON.stringify(mediaType)},"data":${JSON.stringify(url.slice(length))}}`;
}
