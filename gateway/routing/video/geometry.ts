import type { Descriptor, Endpoint, VideoEnvelope } from '../../../actors/terms/endpoint.ts';
import type { FrameSize, Geometry } from '../../../actors/video-job/render-ask.ts';
import { sizeOf, sizeText, tierOf } from '../../terms/video-geometry.ts';
import type { VideoRequest } from '../../terms/video-request.ts';

type Asked = Pick<VideoRequest, 'size' | 'resolution' | 'aspectRatio'>;
type Declared = Pick<Endpoint, 'descriptors' | 'envelopes' | 'tariff'>;

/**
 * The asked geometry in a form that the endpoint declares: as it was asked, or in the other form where both name
 * exactly the same pixels. A size does not become a resolution where the price depends on the resolution: the request
 * did not name that tier. Null where the endpoint does not admit it. (rule V9)
 */
export function geometryFor(endpoint: Declared, asked: Asked): Geometry | null {
  const { size, resolution, aspectRatio } = asked;
  if (size !== null) return sized(endpoint, size, resolution);
  if (resolution === null && aspectRatio === null) return NONE;
  if (isListed(endpoint, 'resolution', resolution) && isListed(endpoint, 'aspect_ratio', aspectRatio)) {
    return { size: null, resolution, aspectRatio };
  }
  const named = resolution === null || aspectRatio === null ? null : sizeOf(resolution, aspectRatio);
  return named !== null && admitsSize(endpoint, named) ? { ...NONE, size: named } : null;
}

const NONE: Geometry = { size: null, resolution: null, aspectRatio: null };

function sized(endpoint: Declared, size: FrameSize, resolution: string | null): Geometry | null {
  if (admitsSize(endpoint, size)) return { ...NONE, size };
  const tier = tierOf(size);
  const isTiered = endpoint.tariff.videoTiers?.some((each) => each.resolution !== undefined) ?? false;
  if (tier === null || (isTiered && resolution === null)) return null;
  const isNamed =
    isListed(endpoint, 'resolution', tier.resolution) && isListed(endpoint, 'aspect_ratio', tier.aspectRatio);
  return isNamed ? { size: null, ...tier } : null;
}

/** Null is not sent, so it needs no declaration. */
function isListed({ descriptors }: Declared, name: string, value: string | null): boolean {
  return value === null || isValue(descriptors[name], value);
}

function isValue(declared: Descriptor | undefined, value: string): boolean {
  return declared?.type === 'enum' && declared.values.includes(value);
}

/** True for a declared size, and for one inside the declared frame. */
function admitsSize({ descriptors, envelopes }: Declared, size: FrameSize): boolean {
  return isValue(descriptors.size, sizeText(size)) || isInFrame(envelopes.video?.frame, size);
}

function isInFrame(frame: VideoEnvelope['frame'], { width, height }: FrameSize): boolean {
  if (!frame) return false;
  const { pixelsMax = Number.POSITIVE_INFINITY, edgeMin = 1, edgeMax = Number.POSITIVE_INFINITY, grid = 1 } = frame;
  if (width * height > pixelsMax) return false;
  return [width, height].every((edge) => edge >= edgeMin && edge <= edgeMax && edge % grid === 0);
}
