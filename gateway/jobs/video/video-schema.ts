import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { VideoBounds } from '../../../actors/video-job/job.ts';
import { LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../../dialects/request/members.ts';
import { preferencesSchema } from '../../dialects/request/preferences-schema.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { ASPECT_RATIOS, FRAME_TYPES, REFERENCE_ROLES, RESOLUTIONS, ROLE_ALIASES } from '../../terms/video-request.ts';

/** The prompt travels in the message that creates the job. */
export const PROMPT_CHARACTERS_MAX = 32_768;
/** Longer clips than any provider renders; `max_seconds` of an endpoint is the bound that matters. */
const SECONDS_MAX = 86_400;
/** Shorter than any frame; numbers from here on are exact decimal text without an exponent. */
const SECONDS_MIN = 0.001;

const inline = Type.Object({ url: Type.String({ description: 'Base64 in a data: URL, at most 20 MiB decoded.' }) });
const role = maybe(oneOf(...REFERENCE_ROLES, ...Object.keys(ROLE_ALIASES)));

const frameImage = Type.Object({
  type: Type.Literal('image_url'),
  image_url: inline,
  frame_type: oneOf(...FRAME_TYPES),
});

const reference = Type.Union([
  Type.Object({ type: Type.Literal('image_url'), image_url: inline, role }),
  Type.Object({ type: Type.Literal('audio_url'), audio_url: inline, role }),
  Type.Object({ type: Type.Literal('video_url'), video_url: inline, role }),
]);

/** The body of `POST /videos`. (rule V2) */
export const videoRequestSchema = Type.Object({
  model: named(LABEL_CHARACTERS_MAX),
  prompt: maybe(Type.String({ maxLength: PROMPT_CHARACTERS_MAX })),
  duration: maybe(Type.Number({ minimum: SECONDS_MIN, maximum: SECONDS_MAX, description: 'Seconds.' })),
  resolution: maybe(oneOf(...RESOLUTIONS)),
  aspect_ratio: maybe(oneOf(...ASPECT_RATIOS)),
  size: maybe(Type.String({ description: 'WIDTHxHEIGHT in pixels, instead of resolution and aspect_ratio.' })),
  seed: maybe(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  generate_audio: maybe(Type.Boolean()),
  frame_images: maybe(Type.Array(frameImage)),
  input_references: maybe(
    Type.Array(reference, { description: 'At most 3 items and 20 MiB decoded, together with frame_images.' }),
  ),
  callback_url: maybe(Type.String({ description: 'HTTPS only; see webhooks.' })),
  provider: maybe(preferencesSchema),
});

export type WireVideo = Static<typeof videoRequestSchema>;
export type WireFrame = Static<typeof frameImage>;
export type WireReference = Static<typeof reference>;

export const videoCheck = Compile(videoRequestSchema);

/** The bounds that a new job keeps to its end, whatever the configuration becomes meanwhile. */
export function videoBounds({ videos }: Pick<ClusterConfig, 'videos'>): VideoBounds {
  const { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs } = videos;
  return { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs };
}
