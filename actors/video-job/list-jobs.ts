import type { RowQuery, RowReader } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import { JOB_ACCOUNT, JOB_STATUS_OF_ALL, type JobRecord, VIDEO_STATUSES, type VideoStatus } from './job-record.ts';

/** A cluster, or an operator's access to one. */
interface Reader {
  readonly rows: Pick<RowReader, 'rows'>;
}

export interface JobQuery {
  /** 1 to 999. */
  readonly limit: number;
  /** Continues after this job id, which need not exist; null begins. */
  readonly after: string | null;
}

export interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly hasMore: boolean;
}

/** Video jobs of an account, newest first. */
export function listVideoJobs(cluster: Reader, account: string, query: JobQuery): Promise<JobPage> {
  return pageOf(cluster, [{ column: JOB_ACCOUNT, equals: account }], query);
}

/** Video jobs of all accounts with one of these statuses, or with any if there are none; newest first. */
export function listAllVideoJobs(cluster: Reader, statuses: readonly VideoStatus[], query: JobQuery): Promise<JobPage> {
  const every = statuses.length === 0 ? VIDEO_STATUSES : new Set(statuses);
  return pageOf(
    cluster,
    [...every].map((one) => ({ column: JOB_STATUS_OF_ALL, equals: one })),
    query,
  );
}

async function pageOf(
  { rows: store }: Reader,
  wheres: readonly NonNullable<RowQuery['where']>[],
  { limit, after }: JobQuery,
): Promise<JobPage> {
  const cursor = after === null ? {} : { after: { sort: timeOfId(after), id: after } };
  const reads = wheres.map((where) => {
    // One more than a page, which tells whether there is another page.
    return store.rows({ collection: 'job', where, order: 'descending', limit: limit + 1, ...cursor });
  });
  const rows = (await Promise.all(reads)).flat();
  const jobs = rows.map(({ body }) => JSON.parse(body) as JobRecord).sort((a, b) => (a.id < b.id ? 1 : -1));
  return { jobs: jobs.slice(0, limit), hasMore: jobs.length > limit };
}
