import { Type } from 'typebox';
import { BATCH_ENDPOINTS, BATCH_STATUSES } from '../../../actors/batch/batch-record.ts';
import { described, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const id = Type.String({ pattern: '^batch_[0-9a-f]{32}$' });
const fileId = orNull(Type.String({ pattern: '^file_[0-9a-f]{32}$' }));
const unixSeconds = Type.Integer({ description: 'Unix seconds.' });

/** The published schema of a batch; a test holds every answer against it. */
export const batchSchema = Type.Object({
  id: described(id, 'Id of the batch, which its routes take.'),
  object: Type.Literal('batch', { description: 'Always `batch`.' }),
  endpoint: described(oneOf(...BATCH_ENDPOINTS), 'The inference route that every request of the batch is sent to.'),
  model: orNull(Type.String(), 'Model of the requests that name none; null without one.'),
  completion_window: Type.Literal('24h', { description: 'Time within which the batch ends: always 24h.' }),
  status: described(oneOf(...BATCH_STATUSES), 'validating, in_progress, cancelling, or how the batch ended.'),
  created_at: described(unixSeconds, 'When the batch was accepted, Unix seconds.'),
  expires_at: described(
    unixSeconds,
    'When the window closes, Unix seconds: requests that have not run then are expired.',
  ),
  finalized_at: orNull(unixSeconds, 'When the last result was recorded, Unix seconds; null while the batch runs.'),
  request_counts: objectOf('Requests of the batch by outcome.', {
    total: Type.Integer({ minimum: 1, description: 'All requests of the batch.' }),
    completed: Type.Integer({ minimum: 0, description: 'Those with an answer of status 200.' }),
    failed: Type.Integer({ minimum: 0, description: 'Those that ended with an error, were cancelled or expired.' }),
  }),
  results_file_id: described(
    fileId,
    'Stored file with one result line for each request; null until the batch has ended.',
  ),
  output_file_id: described(
    fileId,
    'Stored file with one result line for each request; null until the batch has ended.',
  ),
  error: orNull(
    Type.Object({
      code: Type.String({ description: 'Stable cause of the failure, for programs.' }),
      message: Type.String({ description: 'The cause in words.' }),
    }),
    'Why the whole batch failed; null where only single requests did, or none.',
  ),
  results: orNull(
    Type.String({ description: 'JSON Lines, one per request in submission order; null while the batch runs.' }),
    'The results, in the order of the requests.',
  ),
});

/** The published schema of a page of batches. */
export const batchListSchema = Type.Object({
  ...pageMembers('Batches of the account, newest first.', batchSchema, id),
});
