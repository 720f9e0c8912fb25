import type { Cluster, RowQuery } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import { JOB_ACCOUNT, type JobRecord } from './job-record.ts';

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
export async function listVideoJobs(cluster: Cluster, account: string, query: JobQuery): Promise<JobPage> {
  const { limit, after } = query;
  const where = { column: JOB_ACCOUNT, equals: account } as const;
  // One more than a page, which tells whether there is another page.
  const read: RowQuery = { collection: 'job', where, order: 'descending', limit: limit + 1 };
  const cursor = after === null ? {} : { after: { sort: timeOfId(after), id: after } };
  const rows = await cluster.rows.rows({ ...read, ...cursor });
  const jobs = rows.map((row) => JSON.parse(row.body) as JobRecord);
  return { jobs: jobs.slice(0, limit), hasMore: jobs.length > limit };
}
