import { BATCH_STATUSES, type BatchStatus } from '../../../actors/batch/batch-record.ts';
import type { BatchQuery } from '../../../actors/batch/list-batches.ts';
import { isBatchId } from '../../../actors/terms/ids.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { instantOf } from '../../management/instant-of.ts';
import { invalid } from '../../terms/gateway-error.ts';

const PAGE = { usual: 20, most: 100 } as const;
const SECOND_MS = 1_000;

/** The filters of a list of batches. Throws GatewayError 400 naming the parameter. (rule B33) */
export function parseBatchQuery(query: URLSearchParams): BatchQuery {
  const after = textOf(query, 'after');
  if (after !== null && !isBatchId(after)) throw invalid('after must be the id of a batch');
  const createdAfter = timeOf(query, 'created_after');
  const createdBefore = timeOf(query, 'created_before');
  return {
    statuses: [...new Set(query.getAll('status').map(statusOf))],
    // Times are compared with `created_at` as it is shown, in whole seconds.
    createdAfter: createdAfter === null ? null : (Math.floor(createdAfter / SECOND_MS) + 1) * SECOND_MS - 1,
    createdBefore: createdBefore === null ? null : Math.ceil(createdBefore / SECOND_MS) * SECOND_MS,
    limit: limitOf(query, PAGE),
    after,
  };
}

function statusOf(text: string): BatchStatus {
  const status = BATCH_STATUSES.find((one) => one === text);
  if (status === undefined) throw invalid(`status must be one of ${BATCH_STATUSES.join(', ')}`);
  return status;
}

function timeOf(query: URLSearchParams, name: string): number | null {
  const text = textOf(query, name);
  if (text === null) return null;
  const at = instantOf(text);
  if (at === null) throw invalid(`${name} must be Unix seconds, a date or an ISO 8601 instant`);
  return at;
}
