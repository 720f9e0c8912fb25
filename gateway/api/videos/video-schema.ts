import { Type } from 'typebox';
import { VIDEO_STATUSES } from '../../../actors/video-job/job-record.ts';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { oneOf } from '../../dialects/request/members.ts';

const id = Type.String({ pattern: '^vjob_[0-9a-f]{32}$' });
const idOrNull = Type.Union([id, Type.Null()]);
const seconds = Type.Number({ minimum: 0, description: 'Measured in the delivered clip.' });

/** The published schema of a video job; a test holds every answer against it. A fact not yet known has no member. */
export const videoJobSchema = Type.Object(
  {
    id,
    polling_url: Type.String({ description: 'Path of the job.' }),
    status: oneOf(...VIDEO_STATUSES),
    generation_id: Type.Optional(Type.String()),
    unsigned_urls: Type.Optional(Type.Array(Type.String({ description: 'Path of the content of one clip.' }))),
    clip_durations_seconds: Type.Optional(Type.Array(seconds)),
    usage: Type.Optional(
      Type.Object({
        cost: Type.Union([Type.Number(), Type.Null()], { description: 'USD; null where the seconds have no price.' }),
        is_byok: Type.Literal(false),
        video_seconds: seconds,
      }),
    ),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String(), error_type: errorType },
        { description: 'Why it failed.' },
      ),
    ),
    fault: Type.Optional(Type.Literal('marketplace')),
  },
  { additionalProperties: false },
);

/** The published schema of an accepted submission. */
export const videoAcceptedSchema = Type.Pick(videoJobSchema, ['id', 'polling_url', 'status']);

/** The published schema of a page of video jobs. */
export const videoJobListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(videoJobSchema),
  first_id: idOrNull,
  last_id: idOrNull,
  has_more: Type.Boolean(),
});
