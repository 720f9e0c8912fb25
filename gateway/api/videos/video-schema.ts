import { Type } from 'typebox';
import { VIDEO_STATUSES } from '../../../actors/video-job/job-record.ts';
import { errorType } from '../../dialects/reply/reply-members.ts';
import { described, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const id = Type.String({ pattern: '^vjob_[0-9a-f]{32}$' });
const seconds = Type.Number({ minimum: 0, description: 'Measured in the delivered clip.' });

/** The published schema of a video job; a test holds every answer against it. A fact not yet known has no member. */
export const videoJobSchema = Type.Object(
  {
    id: described(id, 'Id of the job, which its routes take.'),
    polling_url: Type.String({ description: 'Path of the job.' }),
    status: described(oneOf(...VIDEO_STATUSES), 'pending, in_progress, or how the job ended.'),
    generation_id: Type.Optional(
      Type.String({ description: 'Id of the generation that charges the job, once it has one.' }),
    ),
    unsigned_urls: Type.Optional(
      Type.Array(Type.String({ description: 'Path of the content of one clip.' }), {
        description: 'Paths of the clips, once they are stored; they need the key.',
      }),
    ),
    clip_durations_seconds: Type.Optional(
      Type.Array(seconds, { description: 'Length of each clip, measured in seconds.' }),
    ),
    usage: Type.Optional(
      objectOf('What the job cost, once it ended.', {
        cost: orNull(Type.Number(), 'Charge in USD; null where the seconds have no price.'),
        is_byok: Type.Literal(false, { description: "Always false: there are no keys of one's own." }),
        video_seconds: described(seconds, 'Seconds of all clips together, measured.'),
      }),
    ),
    error: Type.Optional(
      objectOf('Why the job failed; absent otherwise.', {
        code: Type.Integer({ description: 'Equal to the HTTP status.' }),
        message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
        error_type: errorType,
      }),
    ),
    fault: Type.Optional(
      Type.Literal('marketplace', { description: 'marketplace: the failure was ours, and nothing is charged.' }),
    ),
  },
  { additionalProperties: false },
);

/** The published schema of an accepted submission. */
export const videoAcceptedSchema = Type.Pick(videoJobSchema, ['id', 'polling_url', 'status']);

/** The published schema of a page of video jobs. */
export const videoJobListSchema = Type.Object({
  ...pageMembers('Jobs of the account, newest first.', videoJobSchema, id),
});
