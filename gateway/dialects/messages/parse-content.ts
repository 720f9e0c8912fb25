import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { CacheTime, ContentPart, MediaPart, MediaSource, PartOrigin } from '../../terms/turn.ts';
import type { Carried } from '../request/carried.ts';
import { parseBytes, parseSource } from '../request/parse-source.ts';
import type { WireCacheControl, WireContentBlock, WireTextBlock } from './message-schema.ts';

/** Content of one message: all its text, and its parts if it has more than one unmarked text. */
interface ParsedContent {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

type ImageBlock = Extract<WireContentBlock, { type: 'image' }>;
type DocumentBlock = Extract<WireContentBlock, { type: 'document' }>;
type DocumentSource = Exclude<DocumentBlock['source'], { type: 'content' }>;
/** What a part has besides its type and its content. */
type Beside = Omit<MediaPart, 'type' | 'source'>;

/** A block, and its place in the list that the caller sent. */
export type PlacedBlock<Block> = readonly [at: number, block: Block];

/** Blocks as terms; `member` is the path of their list. Throws 400 for media without a valid source. */
export function parseContent(
  blocks: readonly PlacedBlock<WireContentBlock>[],
  member: string,
  carried: Carried,
): ParsedContent {
  return contentOf(blocks.flatMap(([at, block]) => partsOf(block, `${member}[${at}]`, carried)));
}

function partsOf(block: WireContentBlock, member: string, carried: Carried): ContentPart[] {
  switch (block.type) {
    case 'search_result': {
      const { source, title, content } = block;
      const origin = { type: 'search_result', source, title, ...cited(block) } as const;
      return heldParts(content, origin, block, `${member}.content`, carried);
    }
    case 'document': {
      const { source, context } = block;
      const about = { ...(context == null ? {} : { context }), ...cited(block) };
      if (source.type !== 'content') {
        const named = { ...filenameOf(block), ...about, ...cacheMark(block) };
        return [mediaPart('file', source, `${member}.source`, carried, named)];
      }
      const content = typeof source.content === 'string' ? [textBlock(source.content)] : source.content;
      const origin = { type: 'document', ...titleOf(block), ...about } as const;
      return heldParts(content, origin, block, `${member}.source.content`, carried);
    }
    default:
      return [partOf(block, member, carried, cacheMark(block))];
  }
}

/** The parts that one block holds. Its mark is that of the last of them, where the same prefix ends. */
function heldParts(
  blocks: readonly (WireTextBlock | ImageBlock)[],
  origin: PartOrigin,
  holder: Marked,
  member: string,
  carried: Carried,
): ContentPart[] {
  return blocks.map((block, at) => {
    const mark = at === blocks.length - 1 && holder.cache_control != null ? holder : block;
    return partOf(block, `${member}[${at}]`, carried, { origin, ...cacheMark(mark) });
  });
}

function partOf(block: WireTextBlock | ImageBlock, member: string, carried: Carried, beside: Beside): ContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text, ...beside };
  return mediaPart('image', block.source, `${member}.source`, carried, beside);
}

function textBlock(text: string): WireTextBlock {
  return { type: 'text', text };
}

/** The shortest form of some parts. */
export function contentOf(parts: readonly ContentPart[]): ParsedContent {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const [first] = parts;
  const isPlain = first === undefined || (parts.length === 1 && isBareText(first));
  return isPlain ? { text } : { text, parts };
}

function isBareText(part: ContentPart): boolean {
  return part.type === 'text' && part.cacheFor === undefined && part.origin === undefined;
}

interface Marked {
  readonly cache_control?: WireCacheControl | null;
}

/** The mark of a block or a tool; nothing without one. */
export function cacheMark({ cache_control: mark }: Marked): { readonly cacheFor?: CacheTime } {
  return mark == null ? {} : { cacheFor: mark.ttl ?? '5m' };
}

function filenameOf({ title }: DocumentBlock): { readonly filename?: string } {
  return title == null ? {} : { filename: title };
}

function titleOf({ title }: DocumentBlock): { readonly title?: string } {
  return title == null ? {} : { title };
}

function cited({ citations }: Pick<DocumentBlock, 'citations'>): { readonly cited?: true } {
  return citations?.enabled === true ? { cited: true } : {};
}

function mediaPart(
  type: 'image' | 'file',
  source: ImageBlock['source'] | DocumentSource,
  member: string,
  carried: Carried,
  beside: Beside,
): MediaPart {
  carried.add(type);
  // The part of a stored file is found again by its identity.
  if (source.type === 'file') return carried.addFile(source.file_id, `${member}.file_id`, beside);
  return { type, source: sourceOf(source, member), ...beside };
}

function sourceOf(source: Exclude<DocumentSource, { type: 'file' }>, member: string): MediaSource {
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
