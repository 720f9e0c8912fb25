import { Type } from 'typebox';
import { maybe, named } from './members.ts';
import { sharedMembers } from './shared-members.ts';

const IMAGES_MAX = 10;
const SETTING_CHARACTERS_MAX = 64;

const word = named(SETTING_CHARACTERS_MAX);

/**
 * How pictures are made: the members of `image_config` in chat, and of the body of an image generation. The words of a
 * setting are those that endpoints declare. (spec: inference, `image_config`; conventions 1.10)
 */
export const pictureSettings = {
  n: maybe(Type.Integer({ minimum: 1, maximum: IMAGES_MAX })),
  resolution: maybe(word),
  aspect_ratio: maybe(word),
  size: maybe(word),
  quality: maybe(word),
  output_format: maybe(word),
  background: maybe(word),
  output_compression: maybe(Type.Integer({ minimum: 0, maximum: 100 })),
  seed: sharedMembers.seed,
};

export const PICTURE_SETTINGS = Object.keys(pictureSettings) as readonly (keyof typeof pictureSettings)[];
