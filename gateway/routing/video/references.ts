import type { Endpoint, VideoReferences } from '../../../actors/terms/endpoint.ts';
import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { Asset } from '../../terms/video-request.ts';
import { CONTROL_ROLES, FRAME_TYPES } from '../../terms/video-request.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';

const CONTROLS: ReadonlySet<string> = new Set(CONTROL_ROLES);

const FRAMES: ReadonlySet<string> = new Set(FRAME_TYPES);

/**
 * What keeps an endpoint from using the frames and references of a request, as part of a sentence: their kind, role or
 * number, or a combination of control passes that it does not load together. Null where it takes all of them. (rule V6)
 */
export function refusedReferences(indexed: IndexedEndpoint, assets: readonly Asset[]): string | null {
  if (assets.length === 0) return null;
  const { endpoint } = indexed;
  const { references } = endpoint.envelopes.video ?? {};
  const unfit = assets.map((asset) => refusedAsset(indexed, asset, references)).find((each) => each !== null);
  if (unfit !== undefined) return unfit;
  const itemsMax = itemsMaxOf(endpoint);
  if (assets.length > itemsMax) return `${assets.length} items`;
  return refusedTogether(assets, references);
}

function refusedAsset(
  { endpoint, declares }: IndexedEndpoint,
  asset: Asset,
  references: VideoReferences | undefined,
): string | null {
  const accepted = endpoint.inputs[asset.kind];
  if (!accepted?.sources.includes('data')) return `${asset.kind} as an input`;
  const isType = accepted.containers?.some((each) => mediaTypeName(each) === asset.mediaType) ?? true;
  if (!isType) return asset.mediaType;
  if (FRAMES.has(asset.role)) return framesOf(endpoint, declares).includes(asset.role) ? null : asset.role;
  const roles = declares.has('input_references') ? rolesOf(references)[asset.kind] : undefined;
  return roles?.includes(asset.role) ? null : `${asset.kind} in the role ${asset.role}`;
}

/** Without declared roles, `input_references` alone promises plain references of images. */
function rolesOf(references: VideoReferences | undefined): VideoReferences['roles'] {
  return references?.roles ?? { image: ['reference'] };
}

function framesOf({ descriptors }: Endpoint, declares: ReadonlySet<string>): readonly unknown[] {
  if (!declares.has('frame_images')) return [];
  const declared = descriptors.frame_images;
  const values = declared?.type === 'array' ? declared.items : declared;
  return values?.type === 'enum' ? values.values : [];
}

/** Items that one request may have: as declared for all of them, or for references. */
function itemsMaxOf({ envelopes, descriptors }: Endpoint): number {
  const declared = envelopes.video?.references?.itemsMax;
  const list = descriptors.input_references;
  return declared ?? (list?.type === 'array' ? list.maxItems : undefined) ?? Number.POSITIVE_INFINITY;
}

function refusedTogether(assets: readonly Asset[], references: VideoReferences | undefined): string | null {
  const passes = [...new Set(assets.map(({ role }) => role as string).filter((role) => CONTROLS.has(role)))];
  if (passes.length < 2) return null;
  const isLoaded = references?.controlSets.some((set) => passes.every((pass) => set.includes(pass))) ?? false;
  return isLoaded ? null : `${passes.join(' with ')}`;
}

/** What the endpoints accept, for the refusal of an ask that none of them can serve. */
export function acceptedReferences(endpoints: readonly IndexedEndpoint[]): string {
  const parts = new Set<string>();
  for (const { endpoint, declares } of endpoints) {
    const { references } = endpoint.envelopes.video ?? {};
    const frames = framesOf(endpoint, declares);
    if (frames.length > 0 && endpoint.inputs.image) parts.add(`frame_images ${frames.join(', ')}`);
    if (!declares.has('input_references')) continue;
    for (const [kind, roles] of Object.entries(rolesOf(references))) parts.add(`${kind} as ${roles.join(', ')}`);
    for (const set of references?.controlSets ?? []) parts.add(`${set.join(' with ')} together`);
    const most = itemsMaxOf(endpoint);
    if (Number.isFinite(most)) parts.add(`at most ${most} items`);
  }
  return parts.size === 0 ? 'neither frames nor references' : [...parts].join('; ');
}
