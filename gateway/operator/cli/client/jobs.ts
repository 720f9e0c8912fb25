/**
 * What `troupe batch` and `troupe video` have in common. They call the public API as any client does, with its key; the
 * operator without a key calls the operator API for the jobs of every account.
 */
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import type { ListedJob } from '../../api/jobs.ts';
import type { OwnedJob } from '../../api/work/one-job.ts';
import { ConfigError } from '../../config/config-error.ts';
import { withOperator } from '../frame/asking.ts';
import { type AddCommand, type Given, local } from '../frame/command.ts';
import { countFrom, reasonFrom } from '../frame/names.ts';
import type { EntryPage } from '../frame/operator-api.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { type ProgressState, progressFor } from '../frame/progress.ts';
import { type ClientOptions, type PublicApi, pause, withPublicApi } from './public-api.ts';

/** A look costs one request of the key's rate. */
const LOOK_EVERY_MS = 2_000;
const SHOWN_USUALLY = 20;
const SHOWN_MAX = 200;

/** The options of every command of a kind. */
export const CLIENT = {
  '--key <key>': 'an API key (default: the demo key of the data folder)',
  '--url <url>': 'the base address of the API (default: that of the data folder)',
} as const;
const LIST = {
  ...CLIENT,
  '--all': 'the jobs of every account, read as the operator without a key',
  '--limit <count>': `how many (default: ${SHOWN_USUALLY}; at most 100, with --all ${SHOWN_MAX})`,
  '--after <id>': 'continue behind the job that the page before ended with; with --all behind what its last line names',
} as const;

/** As the public API shows it. */
interface ShownJob {
  readonly id: string;
  readonly status: string;
}

type Members = Parameters<typeof pairs>[0];
type Cells = readonly (string | number | null)[];

/** Batches or video jobs, as the API shows them. */
export interface JobKind<J extends ShownJob> {
  readonly command: 'batch' | 'video';
  readonly words: { readonly id: string; readonly one: string; readonly many: string; readonly status: string };
  /** Below the base address of the API, and below `/api` of the operator API. */
  readonly path: string;
  /** True: the list of the API can be limited to a status. */
  readonly listsByStatus: boolean;
  readonly hasEnded: (job: J) => boolean;
  readonly progressOf: (job: J, passedMs: number) => ProgressState;
  /** The job as it is now. */
  readonly look: (api: PublicApi, made: J) => Promise<J>;
  readonly head: readonly string[];
  readonly cells: (job: J) => Cells;
  readonly members: (job: J) => Members;
  /** What the operator sees of one. */
  readonly ownMembers: (job: J & OwnedJob) => Members;
}

interface ClientPage<J> {
  readonly data: readonly J[];
  readonly has_more?: boolean;
}

interface SubmitOptions extends ClientOptions {
  readonly detach?: boolean | undefined;
}

/** Submits a job and follows it to its end. Exit code 1 if it did not complete. */
export async function submitted<J extends ShownJob>(
  { path, hasEnded, progressOf, look }: JobKind<J>,
  options: SubmitOptions,
  body: object,
  completed: (api: PublicApi, job: J, out: NodeJS.WriteStream | null) => Promise<void> = async () => {},
): Promise<J> {
  // Repeats after a lost answer return the same job.
  const headers = ['idempotency-key', Buffer.from(systemRandom.bytes(16)).toString('hex')];
  const call = { method: 'POST', path, body: JSON.stringify(body), headers } as const;
  const out = options.json ? null : process.stdout;
  const ended = await withPublicApi(options, async (api) => {
    let job = await api.json<J>(call);
    if (options.detach) return job;
    out?.write(`${job.id}\n`);
    // A bar in a terminal, lines elsewhere.
    const progress = progressFor(out);
    const from = systemClock.monotonic();
    const show = () => out?.write(progress.show(progressOf(job, systemClock.monotonic() - from)));
    show();
    while (!hasEnded(job)) {
      await pause(LOOK_EVERY_MS);
      job = await look(api, job);
      show();
    }
    out?.write(progress.end());
    if (job.status === 'completed') await completed(api, job, out);
    return job;
  });
  if (hasEnded(ended) && ended.status !== 'completed') process.exitCode = 1;
  return ended;
}

export function findJob<J>(api: PublicApi, path: string, id: string): Promise<J> {
  return api.json<J>({ method: 'GET', path: `${path}/${encodeURIComponent(id)}` });
}

/** `list`, `show` and `cancel`. */
export function jobCommands<J extends ShownJob>(kind: JobKind<J>): readonly AddCommand[] {
  const { command, words, path } = kind;
  const print = (job: J, options: ClientOptions) =>
    pairs(isOperator(options) ? kind.ownMembers(job as J & OwnedJob) : kind.members(job));
  return [
    local('list', `list the newest ${words.many} of a key, or of every account`, {
      options: { ...LIST, '--status <status...>': words.status },
      run: async (options): Promise<ClientPage<J> | EntryPage<ListedJob>> => {
        if (options.all) return everyJob(kind, options);
        if (options.status !== undefined && !kind.listsByStatus) throw new ConfigError('--status needs --all');
        const query = queryOf(options);
        return withPublicApi(options, (api) => api.json<ClientPage<J>>({ method: 'GET', path: `${path}?${query}` }));
      },
      print: (page) => ('next' in page ? renderAll(page, command) : table(kind.head, page.data.map(kind.cells))),
    }),
    local('show', `show one ${words.one}`, {
      arguments: { '<id>': words.id },
      options: CLIENT,
      run: ({ id, ...options }): Promise<J> =>
        isOperator(options)
          ? withOperator(options, (api) => api.get<J>(`/api${path}/${encodeURIComponent(id)}`))
          : withPublicApi(options, (api) => findJob<J>(api, path, id)),
      print,
    }),
    local('cancel', `cancel a ${words.one}`, {
      arguments: { '<id>': words.id },
      options: {
        ...CLIENT,
        '--reason <text>': { meaning: 'why, for the record; required without --key and --url', parse: reasonFrom },
      },
      run: ({ id, reason, ...options }): Promise<J> =>
        isOperator(options)
          ? cancelled(kind, options, { id, reason })
          : withPublicApi(options, (api) =>
              api.json<J>({ method: 'POST', path: `${path}/${encodeURIComponent(id)}/cancel` }),
            ),
      print,
    }),
  ];
}

type ListOptions = Given<unknown, typeof LIST> & { readonly status: readonly string[] | undefined };

function queryOf({ status = [], limit, after }: ListOptions): URLSearchParams {
  const query = new URLSearchParams(status.map((text): [string, string] => ['status', text]));
  if (limit !== undefined) query.set('limit', limit);
  if (after !== undefined) query.set('after', after);
  return query;
}

/** True where no key and no address of the API is given: the command then speaks to the cluster as its operator. */
function isOperator({ key, url }: ClientOptions): boolean {
  return key === undefined && url === undefined;
}

/** Newest first. @throws ConfigError, also for a key, which sees one account */
async function everyJob(
  { command }: Pick<JobKind<never>, 'command'>,
  options: ListOptions,
): Promise<EntryPage<ListedJob>> {
  if (!isOperator(options)) throw new ConfigError('--all lists the jobs of every account; leave out --key and --url');
  const { limit, after: cursor, status } = options;
  const most = limit === undefined ? SHOWN_USUALLY : Math.min(SHOWN_MAX, countFrom(limit, 'number of jobs'));
  const query = { kind: command, status: status?.join(','), limit: most, cursor };
  return withOperator(options, (api) => api.get<EntryPage<ListedJob>>('/api/jobs', query));
}

function renderAll({ data, next }: EntryPage<ListedJob>, command: string): string {
  const rows = data.map(({ id, status, model, progress, createdAt, account, accountName }) => [
    id,
    status,
    model,
    progress,
    timeOf(createdAt),
    account.replace(/^account:/, ''),
    accountName,
  ]);
  const more = next === null ? '' : `\nmore: troupe ${command} list --all --after ${next}`;
  return `${table(['ID', 'STATUS', 'MODEL', 'PROGRESS', 'CREATED', 'ACCOUNT', 'NAME'], rows)}${more}`;
}

async function cancelled<J extends ShownJob>(
  { path }: JobKind<J>,
  options: ClientOptions,
  { id, reason }: { readonly id: string; readonly reason: string | undefined },
): Promise<J> {
  if (reason === undefined) throw new ConfigError('say why it is cancelled, with --reason "..."');
  const body = { reason };
  const answer = await withOperator(options, (api) =>
    api.post<{ readonly job: J }>(`/api${path}/${encodeURIComponent(id)}/cancel`, body),
  );
  return answer.job;
}
