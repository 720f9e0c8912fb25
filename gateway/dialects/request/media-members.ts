import { type Static, Type } from 'typebox';
import type { Modality } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Carried } from './carried.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from './members.ts';
import { parameterMembers } from './parameter-members.ts';
import { requestedSettings } from './read-members.ts';

const pictureSettings = parameterMembers('images');

/**
 * How pictures are made: the members of `image_config`, and of the body of an image generation. The words of a setting
 * are those that endpoints declare. (rule I24)
 */
export const PICTURE_SETTINGS = Object.keys(pictureSettings) as readonly (keyof typeof pictureSettings)[];

const imageConfig = Type.Object(pictureSettings);

/** The members that ask for pictures and speech, in every dialect that can answer with both. (rule I122) */
export const mediaMembers = {
  modalities: maybe(
    Type.Array(oneOf('text', 'image', 'audio'), { maxItems: NAMES_MAX }),
    'Kinds of content that the answer may hold.',
  ),
  image_config: maybe(imageConfig, 'Settings of pictures: size, quality, format and the like.'),
  audio: maybe(
    Type.Object({
      voice: described(named(LABEL_CHARACTERS_MAX), 'A voice that the model declares.'),
      format: described(oneOf('wav', 'mp3', 'flac', 'opus', 'pcm16', 'aac'), 'Audio format of the answer.'),
    }),
    'Asks for an answer in speech.',
  ),
};

const media = Type.Object(mediaMembers);

/** Adds the media that the request carries and asks for. */
export function addMedia(
  { modalities, audio, image_config: config }: Static<typeof media>,
  turn: { -readonly [member in keyof Turn]: Turn[member] },
  { input }: Carried,
): void {
  if (input === null && !modalities && !audio && !config) return;
  const output = new Set<Modality>((modalities ?? []).filter((modality) => modality !== 'text'));
  if (audio) {
    turn.speech = { voice: audio.voice, format: audio.format };
    output.add('audio');
  }
  if (input !== null || output.size > 0) turn.modalities = { input: input ?? [], output: [...output] };
  const settings = requestedSettings<Static<typeof imageConfig>>(config ?? {}, PICTURE_SETTINGS);
  if (Object.keys(settings).length > 0) turn.imageConfig = settings;
}
