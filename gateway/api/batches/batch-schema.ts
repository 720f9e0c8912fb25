import { Type } from 'typebox';
import { BATCH_ENDPOINTS, BATCH_STATUSES } from '../../../actors/batch/batch-record.ts';
import { oneOf } from '../../dialects/request/members.ts';

const id = Type.String({ pattern: '^batch_[0-9a-f]{32}$' });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const fileId = orNull(Type.String({ pattern: '^file_[0-9a-f]{32}$' }));
const unixSeconds = Type.Integer({ description: 'Unix seconds.' });

/** The published schema of a batch; a test holds every answer against it. */
export const batchSchema = Type.Object({
  id,
  object: Type.Literal('batch'),
  endpoint: oneOf(...BATCH_ENDPOINTS),
  model: orNull(Type.String()),
  completion_window: Type.Literal('24h'),
  status: oneOf(...BATCH_STATUSES),
  created_at: unixSeconds,
  expires_at: unixSeconds,
  finalized_at: orNull(unixSeconds),
  request_counts: Type.Object({
    total: Type.Integer({ minimum: 1 }),
    completed: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  }),
  results_file_id: fileId,
  output_file_id: fileId,
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
  results: orNull(
    Type.String({ description: 'JSON Lines, one per request in submission order; null while the batch runs.' }),
  ),
});

/** The published schema of a page of batches. */
export const batchListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(batchSchema),
  first_id: orNull(id),
  last_id: orNull(id),
  has_more: Type.Boolean(),
});
