import type { Envelopes } from '../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor, OutputModality } from './document-schema.ts';
import { videoEnvelopeOf } from './video-envelope-of.ts';

type Parameters = Readonly<Record<string, DeclaredDescriptor | undefined>>;

/**
 * The declared properties of the pictures, the speech and the videos that the outputs produce. (spec: catalogue, `image_envelope`)
 */
export function envelopesOf(outputs: readonly OutputModality[]): Envelopes {
  const image = outputs.find(({ type }) => type === 'image')?.supported_parameters as Parameters | undefined;
  const speech = outputs.find(({ type }) => type === 'audio')?.supported_parameters as Parameters | undefined;
  const video = outputs.find(({ type }) => type === 'video');
  return {
    ...(image === undefined ? {} : { image: imageOf(image) }),
    ...(speech === undefined
      ? {}
      : { speech: { voices: texts(speech.voice) ?? [], formats: texts(speech.format) ?? [] } }),
    ...(video === undefined ? {} : { video: videoEnvelopeOf(video) }),
  };
}

function imageOf(image: Parameters): NonNullable<Envelopes['image']> {
  const lists = {
    resolutions: texts(image.resolution),
    aspectRatios: texts(image.aspect_ratio),
    sizes: texts(image.size),
    formats: texts(image.output_format),
  };
  const declared = Object.entries(lists).filter(([, values]) => values !== undefined);
  const most = image.n?.type === 'integer' ? image.n.max : undefined;
  return { ...Object.fromEntries(declared), ...(most === undefined ? {} : { imagesMax: most }) };
}

function texts(declared: DeclaredDescriptor | undefined): readonly string[] | undefined {
  return declared?.type === 'enum' ? declared.values.map(String) : undefined;
}
