import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import type { Given } from '../frame/command.ts';

const number = (name: string, meaning: string) => ({ meaning, parse: (text: string) => numberOf(name, text) });

/** What `troupe video submit` takes beside the prompt. */
export const VIDEO = {
  '--model <model>': 'the model',
  '--duration <seconds>': number('--duration', 'its length'),
  '--resolution <tier>': 'such as 720p',
  '--aspect-ratio <ratio>': 'such as 16:9',
  '--size <size>': 'WIDTHxHEIGHT, instead of resolution and aspect ratio',
  '--seed <number>': number('--seed', 'the seed'),
  '--audio': 'with a soundtrack',
  '--no-audio': 'silent',
  '--first-frame <file>': 'an image that it begins with',
  '--last-frame <file>': 'an image that it ends with',
  '--callback-url <url>': 'a webhook for the outcome',
  '--body <file>': 'a body as POST /videos takes it; the options are laid over it',
} as const;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/**
 * The body of `POST /videos`: that of the file `--body`, with the options laid over it. The API checks it. @throws
 * ConfigError
 */
export async function videoBody(prompt: string | undefined, options: Given<unknown, typeof VIDEO>): Promise<object> {
  const { duration, seed, audio, firstFrame, lastFrame } = options;
  const frames = [
    ...(firstFrame === undefined ? [] : [await frameOf(firstFrame, 'first_frame')]),
    ...(lastFrame === undefined ? [] : [await frameOf(lastFrame, 'last_frame')]),
  ];
  const given = {
    model: options.model,
    prompt,
    duration,
    resolution: options.resolution,
    aspect_ratio: options.aspectRatio,
    size: options.size,
    seed,
    generate_audio: audio,
    frame_images: frames.length === 0 ? undefined : frames,
    callback_url: options.callbackUrl,
  };
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...(options.body === undefined ? {} : await readBody(options.body)), ...own };
}

async function readBody(file: string): Promise<object> {
  const text = (await read(file)).toString('utf8');
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new ConfigError(`${file} is not JSON: ${lineOf(error)}`);
  }
  throw new ConfigError(`${file} is not a JSON object`);
}

async function frameOf(file: string, frame_type: string): Promise<object> {
  const mediaType = MEDIA_TYPES[extname(file).toLowerCase()];
  if (mediaType === undefined)
    throw new ConfigError(`${file} must be an image: ${Object.keys(MEDIA_TYPES).join(', ')}`);
  const url = `data:${mediaType};base64,${(await read(file)).toString('base64')}`;
  return { type: 'image_url', image_url: { url }, frame_type };
}

async function read(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new ConfigError(`${file} cannot be read: ${lineOf(error)}`);
  });
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new ConfigError(`${name} must be a number`);
  return value;
}
