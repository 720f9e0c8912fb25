/**
 * One row per half hour with attempts, kept for seven days: the course of an endpoint's figures, for charts. Written with
 * the commits that keep its windows. Rows are read from the store on any node.
 */
import type { Cluster, Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { Percentiles } from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import type { EndpointRecord } from './record.ts';
import { type Bucket, bucketFigures, HALF_HOUR_MS } from './window.ts';

export const HISTORY_COLLECTION = 'history';
const HISTORY_MS = 7 * 24 * 60 * 60_000;
/** An attempt may be reported this much later than it happened and still change the row of its half hour. */
const LATE_MS = 60_000;
const ROWS_MAX = HISTORY_MS / HALF_HOUR_MS + 1;

/** The attempts of one half hour. Figures are null below their sample minimums. */
export interface HalfHour {
  /** Store time of its start, ms. */
  readonly start: number;
  readonly success: number;
  readonly error: number;
  /** Seconds to the first token, seconds of the whole request, completion tokens per second. */
  readonly ttft: Percentiles | null;
  readonly response: Percentiles | null;
  readonly throughput: Percentiles | null;
}

export const historyCollection: Collection = {
  sort: ({ start }: HalfHour) => start,
  retentionMs: HISTORY_MS,
};

/** The rows of the half hours in which the attempts since the last commit happened. */
export function historyRows({ windows, unkeptSince }: EndpointRecord): readonly Effect[] {
  if (unkeptSince === null) return [];
  const changed = windows.halfHours.filter(({ start }) => start + HALF_HOUR_MS > unkeptSince - LATE_MS);
  return changed.map((bucket) => {
    const body = plain(halfHourOf(bucket));
    return { type: 'put', collection: HISTORY_COLLECTION, id: String(bucket.start), body };
  });
}

function halfHourOf(bucket: Bucket): HalfHour {
  const { start, success, error } = bucket;
  return { start, success, error, ...bucketFigures(bucket) };
}

/** The last seven days of an endpoint, oldest first; half hours without attempts are left out. */
export async function readHistory(cluster: Pick<Cluster, 'rows'>, endpoint: string): Promise<readonly HalfHour[]> {
  const address = endpointAddress(endpoint);
  const query = { collection: HISTORY_COLLECTION, address, order: 'ascending', limit: ROWS_MAX } as const;
  const rows = await cluster.rows.rows(query);
  return rows.map(({ body }) => JSON.parse(body) as HalfHour);
}
