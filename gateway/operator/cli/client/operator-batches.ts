/** Batches of every account as the operator sees them: read from the store, without a customer's key. */
import { cancelBatch } from '../../../../actors/batch/batch.ts';
import { BATCH_STATUSES, type BatchRecord } from '../../../../actors/batch/batch-record.ts';
import { listBatches } from '../../../../actors/batch/list-batches.ts';
import { isBatchId } from '../../../../actors/terms/ids.ts';
import { batchObject } from '../../../api/batches/batch-object.ts';
import { ConfigError } from '../../config/config-error.ts';
import { absentWords } from '../frame/absent.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { ASK_MS, type Session, withSession } from '../frame/session.ts';
import { type AllOptions, cursorFrom, limitFrom, statusesFrom } from './all-jobs.ts';
import type { ShownBatch } from './shown-batch.ts';

/** With what the API, which speaks to the account itself, leaves out. */
export interface OperatorBatch extends ShownBatch {
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
}

export interface OperatorBatches {
  readonly data: readonly OperatorBatch[];
  readonly has_more: boolean;
}

/** Newest first. @throws ConfigError */
export async function allBatches(options: AllOptions & GlobalOptions): Promise<OperatorBatches> {
  const query = {
    statuses: statusesFrom(options, BATCH_STATUSES),
    createdAfter: null,
    createdBefore: null,
    limit: limitFrom(options),
    after: cursorFrom(options, isBatchId),
  };
  const { batches, hasMore } = await withSession(options, ({ operator }) =>
    listBatches({ rows: operator }, null, query),
  );
  return { data: batches.map(shown), has_more: hasMore };
}

/** @throws ConfigError */
export async function batchOf(id: string, options: GlobalOptions): Promise<OperatorBatch> {
  return shown(await withSession(options, (session) => stored(session, id)));
}

/** @throws ConfigError */
export async function cancelAnyBatch(id: string, options: GlobalOptions): Promise<OperatorBatch> {
  return withSession(options, async (session) => {
    const { account } = await stored(session, id);
    const answer = await cancelBatch(session.cluster, account, id, ASK_MS);
    if ('refusal' in answer) throw new ConfigError(`${id}: ${answer.refusal.message}`);
    return shown(answer);
  });
}

async function stored({ operator }: Session, id: string): Promise<BatchRecord> {
  const row = await operator.rowById('batch', id);
  if (row === null) throw new ConfigError(absentWords(`batch:${id}`));
  return JSON.parse(row.body) as BatchRecord;
}

function shown(record: BatchRecord): OperatorBatch {
  const { results: _, ...batch } = batchObject(record);
  return { account: record.account, key: record.key, ...batch };
}
