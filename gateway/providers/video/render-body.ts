import type { Json } from '../../../actors/runtime/index.ts';
import type { AssetRef, FrozenCandidate, RenderAsk } from '../../../actors/video-job/render-ask.ts';
import type { OutboundUpload } from '../../outbound/outbound.ts';

/** What one endpoint is asked to render, and where the bytes of its assets are. */
export interface RenderOrder {
  readonly ask: Omit<RenderAsk, 'prompt'>;
  readonly prompt: string | null;
  readonly candidate: Pick<FrozenCandidate, 'geometry' | 'options' | 'target'>;
  /** The bytes of one asset, from the first to the last. */
  readonly read: (asset: AssetRef) => AsyncIterable<Uint8Array>;
}

/** A text of the body, or an asset whose data URL stands there. */
type Part = string | AssetRef;

const DECIMAL = /^\d{1,9}(\.\d{1,12})?$/;
const FRAME_ROLES: ReadonlySet<string> = new Set(['first_frame', 'last_frame']);

/**
 * The body of `POST /videos` in both dialects. The assets are read, encoded and sent piece by piece, so a request of 27
 * MB takes some pieces of memory.
 */
export function renderBody(order: RenderOrder): OutboundUpload {
  const parts = partsOf(order);
  return {
    length: parts.reduce((sum, part) => sum + bytesOf(part), 0),
    chunks: () => chunksOf(parts, order.read),
  };
}

function bytesOf(part: Part): number {
  if (typeof part === 'string') return Buffer.byteLength(part);
  return headOf(part).length + base64Characters(part.length);
}

/** Media types are from a closed list, so they need no escape. */
function headOf({ mediaType }: AssetRef): string {
  return `data:${mediaType};base64,`;
}

async function* chunksOf(parts: readonly Part[], read: RenderOrder['read']): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (typeof part === 'string') yield Buffer.from(part);
    else {
      yield Buffer.from(headOf(part));
      yield* base64Of(read(part));
    }
  }
}

function partsOf({ ask, prompt, candidate }: RenderOrder): readonly Part[] {
  const { geometry, options, target } = candidate;
  const frames = ask.assets.filter(({ role }) => FRAME_ROLES.has(role));
  const references = ask.assets.filter(({ role }) => !FRAME_ROLES.has(role));
  const members: readonly Json[] = [
    ['model', target.upstreamId],
    ['prompt', prompt],
    ['size', geometry.size === null ? null : `${geometry.size.width}x${geometry.size.height}`],
    ['resolution', geometry.resolution],
    ['aspect_ratio', geometry.aspectRatio],
    ['seed', ask.seed],
    ['generate_audio', ask.generateAudio],
  ];
  const own = Object.fromEntries(
    members.map((member) => member as [string, Json]).filter(([, value]) => value !== null),
  );
  const text = JSON.stringify({ ...passed(options), ...own });
  return [
    text.slice(0, -1),
    ...(ask.durationSeconds === null ? [] : [`,"duration":${decimal(ask.durationSeconds)}`]),
    ...listed('frame_images', frames, frameItem),
    ...listed('input_references', references, referenceItem),
    '}',
  ];
}

/** The caller's options for this provider: they were checked at the submission. */
function passed(options: Json): Readonly<Record<string, Json>> {
  const isRecord = typeof options === 'object' && options !== null && !Array.isArray(options);
  return isRecord ? (options as Readonly<Record<string, Json>>) : {};
}

function decimal(text: string): string {
  if (!DECIMAL.test(text)) throw new RangeError('a duration that is no decimal number');
  return text;
}

function listed(
  name: string,
  assets: readonly AssetRef[],
  item: (asset: AssetRef) => readonly Part[],
): readonly Part[] {
  if (assets.length === 0) return [];
  const items = assets.flatMap((asset, nth) => [...(nth === 0 ? [] : [',']), ...item(asset)]);
  return [`,"${name}":[`, ...items, ']'];
}

function frameItem(asset: AssetRef): readonly Part[] {
  return ['{"type":"image_url","image_url":{"url":"', asset, `"},"frame_type":${JSON.stringify(asset.role)}}`];
}

function referenceItem(asset: AssetRef): readonly Part[] {
  const type = `${asset.kind}_url`;
  return [`{"type":"${type}","${type}":{"url":"`, asset, `"},"role":${JSON.stringify(asset.role)}}`];
}

const GROUP_BYTES = 3;
const GROUP_CHARACTERS = 4;

/** Characters of the base64 of that many bytes. */
export function base64Characters(bytes: number): number {
  return Math.ceil(bytes / GROUP_BYTES) * GROUP_CHARACTERS;
}

/** The base64 of passing bytes, piece by piece: whole groups of three, what is left over waits for the next piece. */
export async function* base64Of(source: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of source) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % GROUP_BYTES);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
