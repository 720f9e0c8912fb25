import { type Static, Type } from 'typebox';
import type { VideoBounds } from '../../../actors/video-job/job.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../../dialects/request/members.ts';
import { preferencesSchema } from '../../dialects/request/preferences-schema.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { ASPECT_RATIOS, FRAME_TYPES, REFERENCE_ROLES, RESOLUTIONS, ROLE_ALIASES } from '../../terms/video-request.ts';

/** The prompt travels in the message that creates the job. */
const PROMPT_CHARACTERS_MAX = 32_768;
/** Longer clips than any provider renders; `max_seconds` of an endpoint is the bound that matters. */
const SECONDS_MAX = 86_400;
/** Shorter than any frame; numbers from here on are exact decimal text without an exponent. */
const SECONDS_MIN = 0.001;

const inline = Type.Object({ url: Type.String({ description: 'Base64 in a data: URL, at most 20 MiB decoded.' }) });
const role = maybe(oneOf(...REFERENCE_ROLES, ...Object.keys(ROLE_ALIASES)));

const frameImage = Type.Object({
  type: Type.Literal('image_url', { description: 'The input is a picture.' }),
  image_url: described(inline, 'Where the picture is.'),
  frame_type: described(oneOf(...FRAME_TYPES), 'Which frame of the clip the picture is.'),
});

const reference = Type.Union([
  Type.Object({
    type: Type.Literal('image_url', { description: 'The input is a picture.' }),
    image_url: described(inline, 'Where the picture is.'),
    role: described(role, 'What the reference is used for; absent: as the model decides.'),
  }),
  Type.Object({
    type: Type.Literal('audio_url', { description: 'The input is a recording.' }),
    audio_url: described(inline, 'Where the recording is.'),
    role: described(role, 'What the reference is used for; absent: as the model decides.'),
  }),
  Type.Object({
    type: Type.Literal('video_url', { description: 'The input is a clip.' }),
    video_url: described(inline, 'Where the clip is.'),
    role: described(role, 'What the reference is used for; absent: as the model decides.'),
  }),
]);

/** The body of `POST /videos`. (rule V2) */
export const videoRequestSchema = Type.Object({
  model: described(named(LABEL_CHARACTERS_MAX), 'Id of a model that renders, as GET /videos/models lists it.'),
  prompt: maybe(Type.String({ maxLength: PROMPT_CHARACTERS_MAX }), 'What the clip shows, at most 32,768 characters.'),
  duration: maybe(Type.Number({ minimum: SECONDS_MIN, maximum: SECONDS_MAX }), 'Length of the clip in seconds.'),
  resolution: maybe(oneOf(...RESOLUTIONS), 'Height of the clip in the usual words, such as 720p.'),
  aspect_ratio: maybe(oneOf(...ASPECT_RATIOS), 'Ratio of width to height, such as 16:9.'),
  size: maybe(Type.String(), 'WIDTHxHEIGHT in pixels, instead of resolution and aspect_ratio.'),
  seed: maybe(
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    'Makes the render repeatable where the model allows it.',
  ),
  generate_audio: maybe(Type.Boolean(), 'Whether the clip gets a sound track.'),
  frame_images: maybe(Type.Array(frameImage), 'Pictures that are the first or the last frame of the clip.'),
  input_references: maybe(
    Type.Array(reference),
    'Pictures, audio and clips that the model sees: at most 3 items and 20 MiB decoded, together with frame_images.',
  ),
  callback_url: maybe(Type.String(), 'HTTPS address that receives a webhook when the job ends.'),
  provider: maybe(preferencesSchema, 'Which providers may render.'),
});

export type WireVideo = Static<typeof videoRequestSchema>;
export type WireFrame = Static<typeof frameImage>;
export type WireReference = Static<typeof reference>;

/** The bounds that a new job keeps to its end, whatever the configuration becomes meanwhile. */
export function videoBounds({ videos }: Pick<ClusterConfig, 'videos'>): VideoBounds {
  const { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs } = videos;
  return { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs };
}
