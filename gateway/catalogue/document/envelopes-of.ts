import type { Envelopes } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor, OutputModality } from './document-schema.ts';
import { frameOf, videoEnvelopeOf } from './video-envelope-of.ts';

type Parameters = Readonly<Record<string, DeclaredDescriptor | undefined>>;

/** The declared properties of the pictures, the speech and the videos that the outputs produce. (rule C26) */
export function envelopesOf(outputs: readonly OutputModality[]): Envelopes {
  const image = outputs.find(({ type }) => type === 'image');
  const speech = outputs.find(({ type }) => type === 'audio')?.supported_parameters as Parameters | undefined;
  const video = outputs.find(({ type }) => type === 'video');
  return {
    ...(image === undefined ? {} : { image: imageOf(image) }),
    ...(speech === undefined ? {} : { speech: speechOf(speech) }),
    ...(video === undefined ? {} : { video: videoEnvelopeOf(video) }),
  };
}

function speechOf({ voice, format, speed, input_references }: Parameters): NonNullable<Envelopes['speech']> {
  return {
    voices: texts(voice) ?? [],
    formats: texts(format) ?? [],
    ...(speed?.type === 'range' ? { speed: { min: speed.min, max: speed.max } } : {}),
    ...(input_references === undefined ? {} : { clones: true }),
  };
}

function imageOf({ supported_parameters, image: own }: OutputModality): NonNullable<Envelopes['image']> {
  const image = supported_parameters as Parameters;
  const lists = {
    resolutions: texts(image.resolution),
    aspectRatios: texts(image.aspect_ratio),
    sizes: texts(image.size),
    formats: texts(image.output_format),
  };
  const declared = Object.entries(lists).filter(([, values]) => values !== undefined);
  const most = image.n?.type === 'integer' ? image.n.max : undefined;
  return {
    ...Object.fromEntries(declared),
    ...(most === undefined ? {} : { imagesMax: most }),
    ...(own === undefined ? {} : { frame: frameOf(own.frame) }),
  };
}

function texts(declared: DeclaredDescriptor | undefined): readonly string[] | undefined {
  return declared?.type === 'enum' ? declared.values.map(String) : undefined;
}
