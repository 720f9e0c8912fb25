/** What an endpoint declares of its videos, in the catalogue's published form; snake_case as on the wire. */
import type { Descriptor, Endpoint, Frame, VideoEnvelope, VideoReferences } from '../../actors/terms/endpoint.ts';

type Published = Readonly<Record<string, unknown>>;

/** (rule C26) A limit that is not declared is absent. */
export function publicVideoEnvelope({ frame, secondsMax, fps, frameStep, audio }: VideoEnvelope): Published {
  return {
    ...(frame && { frame: publicFrame(frame) }),
    ...(secondsMax === undefined ? {} : { max_seconds: Number(secondsMax) }),
    ...(fps && { fps: fps.map(Number) }),
    ...(frameStep === undefined ? {} : { frame_step: frameStep }),
    ...(audio === undefined ? {} : { audio }),
  };
}

/** Pixel budget, edge range and grid. */
export function publicFrame({ pixelsMax, edgeMin, edgeMax, grid }: Frame): Published {
  return {
    ...(pixelsMax === undefined ? {} : { max_pixels: pixelsMax }),
    ...(edgeMin === undefined ? {} : { min_edge: edgeMin }),
    ...(edgeMax === undefined ? {} : { max_edge: edgeMax }),
    ...(grid === undefined ? {} : { grid }),
  };
}

/** (rule C27) `roles` by kind of asset. */
export function publicReferences({ roles, controlSets, itemsMax }: VideoReferences): Published {
  return { roles, control_sets: controlSets, ...(itemsMax === undefined ? {} : { max_items: itemsMax }) };
}

/** (rule C27) Undefined for an endpoint that renders no videos. */
export function publicVideoGeneration({ envelopes, descriptors, target }: Endpoint): Published | undefined {
  const { video } = envelopes;
  if (!video) return undefined;
  const supported = audioValues(descriptors.generate_audio);
  const { generateAudio } = video.defaults;
  return {
    type: target.dialect === 'video-sync' ? 'synchronous' : 'asynchronous',
    generate_audio: {
      ...(supported === null ? {} : { supported_values: supported }),
      ...(generateAudio === undefined ? {} : { default: generateAudio }),
    },
    ...(video.adapters && {
      adapters: video.adapters.map(({ id, revision, included, strength, combinesWith, requiresRole }) => ({
        id,
        revision,
        included,
        strength,
        ...(combinesWith === undefined ? {} : { combines_with: combinesWith }),
        ...(requiresRole === undefined ? {} : { requires_role: requiresRole }),
      })),
    }),
  };
}

/** The values of `generate_audio` that a request may name; null where the parameter is not declared. */
export function audioValues(declared: Descriptor | undefined): readonly boolean[] | null {
  if (declared?.type === 'boolean') return [true, false];
  return declared?.type === 'enum' ? declared.values.filter((value) => typeof value === 'boolean') : null;
}
