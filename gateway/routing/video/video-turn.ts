import type { Turn } from '../../terms/turn.ts';
import type { VideoRequest } from '../../terms/video-request.ts';
import type { CarriedInput } from '../endpoints/constraints.ts';

/**
 * A request for a video as the rules of routing read it: a turn that demands video output, with the members that an
 * endpoint has to declare as its settings. Geometry, length, references and adapters have rules of their own.
 */
export function videoTurn({ model, prompt, seed, generateAudio, assets, preferences }: VideoRequest): Turn {
  const kinds = new Set(assets.map(({ kind }) => kind));
  return {
    kind: 'video',
    models: [model],
    messages: [{ role: 'user', text: prompt ?? '' }],
    stream: false,
    sampling: {
      ...(seed === null ? {} : { seed }),
      ...(generateAudio === null ? {} : { generate_audio: generateAudio }),
    },
    modalities: { input: [...kinds], output: ['video'] },
    preferences,
  };
}

/** The inputs that the assets are, each kind and type once. */
export function carriedAssets({ assets }: VideoRequest): readonly CarriedInput[] {
  const kinds = new Map(assets.map((asset) => [`${asset.kind} ${asset.mediaType}`, asset]));
  return [...kinds.values()].map(({ kind, mediaType }) => ({ modality: kind, kind: 'data', mediaType }));
}
