import type { Endpoint, VideoEnvelope } from '../../../actors/terms/endpoint.ts';
import type { FrameSize, Geometry, NamedFrame } from '../../../actors/video-job/render-ask.ts';
import { parseSize, shorterEdgeOf, sizeOf, sizeText } from '../../terms/video-geometry.ts';
import { ASPECT_RATIOS, RESOLUTIONS } from '../../terms/video-request.ts';

type Declared = Pick<Endpoint, 'descriptors' | 'envelopes'>;

/** Encoders align edges to whole blocks: 480 lines become 496, and 1080 become 1088. */
const ALIGNMENT = 16;
/** The ratio at which providers count the pixels of a resolution that they render in other ratios by area. */
const USUAL_RATIO = '16:9';

/**
 * The pixels that a clip may have where the endpoint receives a resolution by name, so that a lower one is not
 * delivered and charged at its price. Beside the named size these are the sizes that the endpoint declares itself for
 * that resolution: some count it by area. Null where no pixels are named, and where the endpoint declares a frame that
 * no such size fits, so that its names mean others. (rule V19)
 */
export function namedFrame(endpoint: Declared, { resolution, aspectRatio }: Geometry): NamedFrame | null {
  const edge = resolution === null ? null : shorterEdgeOf(resolution);
  if (resolution === null || edge === null) return null;
  const size = aspectRatio === null ? null : sizeOf(resolution, aspectRatio);
  const { frame } = endpoint.envelopes.video ?? {};
  if (frame !== undefined && !isWithin(frame, size ?? { width: edge, height: edge })) return null;
  const own = sizesDeclared(endpoint).filter((each) => isOf(endpoint, each, { resolution, aspectRatio }));
  return {
    sizes: size === null ? own : [size, ...own.filter((each) => sizeText(each) !== sizeText(size))],
    shorterEdge: size === null ? edge : null,
    tolerance: Math.max(ALIGNMENT, frame?.grid ?? 1),
  };
}

/** As far as pixels and edges go: the grid only moves a size to the next one that it divides. */
function isWithin(frame: NonNullable<VideoEnvelope['frame']>, { width, height }: FrameSize): boolean {
  const { pixelsMax = Number.POSITIVE_INFINITY, edgeMin = 1, edgeMax = Number.POSITIVE_INFINITY } = frame;
  return width * height <= pixelsMax && Math.min(width, height) >= edgeMin && Math.max(width, height) <= edgeMax;
}

function sizesDeclared({ descriptors }: Declared): readonly FrameSize[] {
  return valuesOf({ descriptors }, 'size', []).flatMap((text) => parseSize(text) ?? []);
}

/** True for a size that is nearest to these names of all that the endpoint declares, by its shorter edge or by area. */
function isOf(
  endpoint: Declared,
  { width, height }: FrameSize,
  { resolution, aspectRatio }: { readonly resolution: string; readonly aspectRatio: string | null },
): boolean {
  const ratios = valuesOf(endpoint, 'aspect_ratio', ASPECT_RATIOS);
  if (aspectRatio !== null && nearest(ratios, quotientOf, width / height) !== aspectRatio) return false;
  const resolutions = valuesOf(endpoint, 'resolution', RESOLUTIONS);
  return (
    nearest(resolutions, shorterEdgeOf, Math.min(width, height)) === resolution ||
    nearest(resolutions, areaOf, width * height) === resolution
  );
}

/** The name whose number has the least quotient to this one. */
function nearest(names: readonly string[], numberOf: (name: string) => number | null, to: number): string | undefined {
  const apart = (name: string): number => Math.abs(Math.log((numberOf(name) ?? Number.POSITIVE_INFINITY) / to));
  return [...names].sort((one, other) => apart(one) - apart(other))[0];
}

function quotientOf(aspectRatio: string): number | null {
  const [across = 0, down = 0] = aspectRatio.split(':').map(Number);
  return across > 0 && down > 0 ? across / down : null;
}

function areaOf(resolution: string): number | null {
  const size = sizeOf(resolution, USUAL_RATIO);
  return size && size.width * size.height;
}

function valuesOf({ descriptors }: Pick<Declared, 'descriptors'>, name: string, otherwise: readonly string[]) {
  const declared = descriptors[name];
  return declared?.type === 'enum' ? declared.values.filter((value) => typeof value === 'string') : otherwise;
}
