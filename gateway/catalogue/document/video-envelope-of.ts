import type { Frame, VideoAdapter, VideoEnvelope, VideoReferences } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor, OutputModality } from './document-schema.ts';
import type { DeclaredFrame, DeclaredVideo } from './video-schema.ts';

type Parameters = Readonly<Record<string, DeclaredDescriptor | undefined>>;

/** The declared limits of a video output, in internal form. `checkVideo` has checked it. */
export function videoEnvelopeOf({ supported_parameters, video = {} }: OutputModality): VideoEnvelope {
  const parameters = supported_parameters as Parameters;
  const { frame, max_seconds, fps, frame_step, audio, references, adapters } = video;
  return {
    ...(frame === undefined ? {} : { frame: frameOf(frame) }),
    ...(max_seconds === undefined ? {} : { secondsMax: String(max_seconds) }),
    ...(fps === undefined ? {} : { fps: fps.map(String) }),
    ...(frame_step === undefined ? {} : { frameStep: frame_step }),
    ...(audio === undefined ? {} : { audio }),
    defaults: defaultsOf(parameters),
    promptRequired: video.prompt_required ?? true,
    ...(references === undefined ? {} : { references: referencesOf(references) }),
    ...(adapters === undefined ? {} : { adapters: adapters.map(adapterOf) }),
    idempotentCreate: video.idempotent_create ?? false,
  };
}

/** Declared limits of a size, in internal form. */
export function frameOf({ pixels_max, edge_min, edge_max, grid }: DeclaredFrame): Frame {
  return {
    ...(pixels_max === undefined ? {} : { pixelsMax: pixels_max }),
    ...(edge_min === undefined ? {} : { edgeMin: edge_min }),
    ...(edge_max === undefined ? {} : { edgeMax: edge_max }),
    ...(grid === undefined ? {} : { grid }),
  };
}

function defaultsOf(parameters: Parameters): VideoEnvelope['defaults'] {
  const [duration, resolution, ratio, size, audio] = [
    ...['duration', 'resolution', 'aspect_ratio', 'size', 'generate_audio'].map((name) => defaultOf(parameters[name])),
  ];
  return {
    ...(typeof duration === 'number' ? { duration: String(duration) } : {}),
    ...(typeof resolution === 'string' ? { resolution } : {}),
    ...(typeof ratio === 'string' ? { aspectRatio: ratio } : {}),
    ...(typeof size === 'string' ? { size } : {}),
    ...(typeof audio === 'boolean' ? { generateAudio: audio } : {}),
  };
}

function defaultOf(declared: DeclaredDescriptor | undefined): unknown {
  return declared !== undefined && 'default' in declared ? declared.default : undefined;
}

function referencesOf(references: NonNullable<DeclaredVideo['references']>): VideoReferences {
  const { roles, control_sets = [], items_max } = references;
  const { image, audio, video } = roles;
  return {
    roles: { ...(image && { image }), ...(audio && { audio }), ...(video && { video }) },
    controlSets: control_sets,
    ...(items_max === undefined ? {} : { itemsMax: items_max }),
  };
}

function adapterOf(adapter: NonNullable<DeclaredVideo['adapters']>[number]): VideoAdapter {
  const { id, revision, included = false, strength = { min: 0, max: 1 }, combines_with, requires_role } = adapter;
  return {
    id,
    revision,
    included,
    strength,
    ...(combines_with === undefined ? {} : { combinesWith: combines_with }),
    ...(requires_role === undefined ? {} : { requiresRole: requires_role }),
  };
}
