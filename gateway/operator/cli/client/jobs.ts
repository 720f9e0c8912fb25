/**
 * What `troupe batch` and `troupe video` have in common. They call the public API as any client does, with its key; the
 * operator without a key reads the jobs of every account from the store.
 */
import { type Cluster, systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import type { Principal } from '../../../../actors/terms/principal.ts';
import type { RefusedAnswer } from '../../../../actors/terms/refusal.ts';
import { ConfigError } from '../../config/config-error.ts';
import { absentWords } from '../frame/absent.ts';
import { type AddCommand, type Given, local } from '../frame/command.ts';
import { COMMAND_LINE, countFrom } from '../frame/names.ts';
import { pairs, table } from '../frame/print.ts';
import { type ProgressState, progressFor } from '../frame/progress.ts';
import { ASK_MS, type Session, withSession } from '../frame/session.ts';
import { type ClientOptions, type PublicApi, pause, withPublicApi } from './public-api.ts';

/** A look costs one request of the key's rate. */
const LOOK_EVERY_MS = 2_000;
const SHOWN_USUALLY = 20;
const SHOWN_MAX = 999;

/** The options of every command of a kind. */
export const CLIENT = {
  '--key <key>': 'an API key (default: the demo key of the data folder)',
  '--url <url>': 'the base address of the API (default: that of the data folder)',
} as const;
const LIST = {
  ...CLIENT,
  '--all': 'the jobs of every account, read as the operator without a key',
  '--limit <count>': `how many (default: ${SHOWN_USUALLY}; at most 100, with --all ${SHOWN_MAX})`,
  '--after <id>': 'continue behind the job that the page before ended with',
} as const;

/** As the public API shows it. */
interface ShownJob {
  readonly id: string;
  readonly status: string;
}

/** What the API, which speaks to the account itself, leaves out. */
interface Owned {
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
}

type Members = Parameters<typeof pairs>[0];
type Cells = readonly (string | number | null)[];

/** Batches or video jobs: `J` as the API shows them, `R` as they are stored. */
export interface JobKind<J extends ShownJob, R extends Owned> {
  readonly command: 'batch' | 'video';
  readonly words: { readonly id: string; readonly one: string; readonly many: string; readonly status: string };
  /** Below the base address of the API. */
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
  /** Behind the others in a list of every account. */
  readonly ownHead: readonly string[];
  readonly ownCells: (job: J & Owned) => Cells;
  readonly ownMembers: (job: J & Owned) => Members;
  readonly kind: string;
  readonly collection: string;
  readonly statuses: Iterable<string>;
  readonly isId: (text: string) => boolean;
  readonly list: (
    rows: Session['operator'],
    query: AllQuery,
  ) => Promise<readonly [records: readonly R[], hasMore: boolean]>;
  readonly cancel: (cluster: Cluster, record: R, withinMs: number, by: Principal) => Promise<R | RefusedAnswer>;
  readonly shown: (record: R) => J & Owned;
}

interface AllQuery {
  readonly statuses: readonly string[];
  readonly limit: number;
  readonly after: string | null;
}

interface Page<J> {
  readonly data: readonly J[];
  readonly has_more?: boolean;
}

interface SubmitOptions extends ClientOptions {
  readonly detach?: boolean | undefined;
}

/** Submits a job and follows it to its end. Exit code 1 if it did not complete. */
export async function submitted<J extends ShownJob, R extends Owned>(
  { path, hasEnded, progressOf, look }: JobKind<J, R>,
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
export function jobCommands<J extends ShownJob, R extends Owned>(kind: JobKind<J, R>): readonly AddCommand[] {
  const { command, words, path } = kind;
  const one = { arguments: { '<id>': words.id }, options: CLIENT } as const;
  const print = (job: J, options: ClientOptions) =>
    pairs(isOperator(options) ? kind.ownMembers(job as J & Owned) : kind.members(job));
  return [
    local('list', `list the newest ${words.many} of a key, or of every account`, {
      options: { ...LIST, '--status <status...>': words.status },
      run: async (options): Promise<Page<J>> => {
        if (options.all) return everyJob(kind, options);
        if (options.status !== undefined && !kind.listsByStatus) throw new ConfigError('--status needs --all');
        const query = queryOf(options);
        return withPublicApi(options, (api) => api.json<Page<J>>({ method: 'GET', path: `${path}?${query}` }));
      },
      print: ({ data, has_more }, { all }) => {
        if (!all) return table(kind.head, data.map(kind.cells));
        const rows = data.map((job) => [...kind.cells(job), ...kind.ownCells(job as J & Owned)]);
        const more = has_more ? `\nmore: troupe ${command} list --all --after ${data.at(-1)?.id}` : '';
        return `${table([...kind.head, ...kind.ownHead], rows)}${more}`;
      },
    }),
    local('show', `show one ${words.one}`, {
      ...one,
      run: ({ id, ...options }): Promise<J> =>
        isOperator(options)
          ? withSession(options, async (session) => kind.shown(await recordOf(kind, session, id)))
          : withPublicApi(options, (api) => findJob<J>(api, path, id)),
      print,
    }),
    local('cancel', `cancel a ${words.one}`, {
      ...one,
      run: ({ id, ...options }): Promise<J> =>
        isOperator(options)
          ? withSession(options, (session) => cancelled(kind, session, id))
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
async function everyJob<J extends ShownJob, R extends Owned>(
  { statuses, isId, list, shown }: JobKind<J, R>,
  options: ListOptions,
): Promise<Page<J>> {
  if (!isOperator(options)) throw new ConfigError('--all lists the jobs of every account; leave out --key and --url');
  const { limit, after = null, status = [] } = options;
  if (after !== null && !isId(after)) throw new ConfigError(`--after ${after} is not the id of a job`);
  const known = [...statuses];
  const wrong = status.find((text) => !known.includes(text));
  if (wrong !== undefined) throw new ConfigError(`"${wrong}" is not a status; write one of ${known.join(', ')}`);
  const most = limit === undefined ? SHOWN_USUALLY : Math.min(SHOWN_MAX, countFrom(limit, 'number of jobs'));
  const query = { statuses: status, limit: most, after };
  const [records, hasMore] = await withSession(options, ({ operator }) => list(operator, query));
  return { data: records.map(shown), has_more: hasMore };
}

async function recordOf<J extends ShownJob, R extends Owned>(
  { kind, collection }: JobKind<J, R>,
  { operator }: Session,
  id: string,
): Promise<R> {
  const row = await operator.rowById(collection, id);
  if (row === null) throw new ConfigError(absentWords(`${kind}:${id}`));
  return JSON.parse(row.body) as R;
}

async function cancelled<J extends ShownJob, R extends Owned>(
  kind: JobKind<J, R>,
  session: Session,
  id: string,
): Promise<J> {
  const answer = await kind.cancel(session.cluster, await recordOf(kind, session, id), ASK_MS, COMMAND_LINE);
  if ('refusal' in answer) throw new ConfigError(`${id}: ${answer.refusal.message}`);
  return kind.shown(answer);
}
