import type { ReferenceKind } from '../../../actors/terms/endpoint.ts';
import { base64BytesInShares, dataUrlParts } from '../../dialects/request/parse-source.ts';
import { mediaTypeOf } from '../../files/media-type.ts';
import type { LoopWork } from '../../overload/loop-work.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Asset } from '../../terms/video-request.ts';
import { type ReferenceRole, ROLE_ALIASES } from '../../terms/video-request.ts';
import type { WireFrame, WireReference, WireVideo } from './video-schema.ts';

/** Frames and references of one request together. (rule V3) */
const ITEMS_MAX = 3;
/** Decoded bytes of one asset, and of all assets of one request. */
const ASSETS_BYTES_MAX = 20 * 1024 * 1024;

/** Decoded at most, to tell the type by its signature. A multiple of 3, so that its base64 has no padding. */
const HEAD_BYTES = 6_144;

/** An asset before its bytes are looked at. */
type Named = Pick<Asset, 'kind' | 'role' | 'member'> & { readonly url: string };

/** Refuses too many items before any of them is looked at. `body` is not checked yet. Throws GatewayError 400. */
export function refuseManyItems({ frame_images, input_references }: Partial<Record<keyof WireVideo, unknown>>): void {
  const count = (Array.isArray(frame_images) ? frame_images.length : 0) + lengthOf(input_references);
  if (count <= ITEMS_MAX) return;
  throw invalid(`frame_images and input_references must have at most ${ITEMS_MAX} items together, not ${count}`);
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/**
 * The assets of a checked body: frames in the role that their `frame_type` names, ahead of the references. Sizes are
 * judged by arithmetic on the base64 text, then the text for characters outside base64; only the first bytes are
 * decoded, for the type by their signature. Throws GatewayError 400 naming the member. (rule V3, rule I41)
 */
export async function parseAssets(body: WireVideo, loop: LoopWork): Promise<readonly Asset[]> {
  const named = [...(body.frame_images ?? []).map(frameOf), ...(body.input_references ?? []).map(referenceOf)];
  const inline = named.map((item) => ({ ...item, base64: textOf(item) }));
  let total = 0;
  for (const { base64, member } of inline) {
    const bytes = decodedBytes(base64);
    if (bytes > ASSETS_BYTES_MAX) throw invalid(`${member} must hold at most ${ASSETS_BYTES_MAX} bytes, not ${bytes}`);
    total += bytes;
  }
  if (total > ASSETS_BYTES_MAX) {
    const bound = `at most ${ASSETS_BYTES_MAX} bytes together, not ${total}`;
    throw invalid(`frame_images and input_references must hold ${bound}`);
  }
  const assets: Asset[] = [];
  for (const { kind, role, member, base64 } of inline) {
    const bytes = await base64BytesInShares(base64, loop);
    if (bytes === null) throw invalid(`${member} must hold base64 with its padding`);
    assets.push({ kind, role, member, base64, bytes, mediaType: await typeOf(base64, kind, member) });
  }
  return assets;
}

function frameOf({ frame_type, image_url }: WireFrame, nth: number): Named {
  return { kind: 'image', role: frame_type, url: image_url.url, member: `frame_images[${nth}].image_url.url` };
}

function referenceOf(item: WireReference, nth: number): Named {
  const role = roleOf(item.role);
  const member = `input_references[${nth}].${item.type}.url`;
  switch (item.type) {
    case 'image_url':
      return { kind: 'image', role, url: item.image_url.url, member };
    case 'audio_url':
      return { kind: 'audio', role, url: item.audio_url.url, member };
    case 'video_url':
      return { kind: 'video', role, url: item.video_url.url, member };
  }
}

function roleOf(written: string | null | undefined): ReferenceRole {
  if (written == null) return 'reference';
  return Object.hasOwn(ROLE_ALIASES, written) ? (ROLE_ALIASES[written] as ReferenceRole) : (written as ReferenceRole);
}

/** The base64 text of a `data:` URL. Any other URL would have to be fetched, and the service fetches none. */
function textOf({ url, member }: Named): string {
  if (url.slice(0, 5).toLowerCase() !== 'data:') {
    throw invalid(`${member} must be a data: URL with the bytes in base64; no URL is fetched`);
  }
  return dataUrlParts(url, member).base64;
}

/** What base64 text of this length decodes to; exact where the text is base64. */
function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** The type by the signature of the first bytes, whatever the URL calls itself. */
async function typeOf(base64: string, kind: ReferenceKind, member: string): Promise<string> {
  const type = await mediaTypeOf(Buffer.from(base64.slice(0, (HEAD_BYTES / 3) * 4), 'base64'));
  if (type?.startsWith(`${kind}/`)) return type;
  const words = kind === 'image' ? 'an image' : kind === 'audio' ? 'audio' : 'a video';
  throw invalid(`${member} must hold ${words} of a known type, not ${type ?? 'bytes without a known signature'}`);
}
