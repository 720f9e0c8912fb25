/**
 * Pages of the operator port's lists over a store of the size that is asked for: first ones, ones in the middle and last
 * ones, each with the two that follow it. All lists take turns, so that none finds its own pages in memory.
 */
import { rmSync } from 'node:fs';
import { readPepper } from '../../gateway/operator/config/secrets.ts';
import { openChaosStore, type StoreKind } from '../chaos/chaos-store.ts';
import { HookReceiver } from '../chaos/hook-receiver.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { type Listening, listening } from './child.ts';
import { type Original, storeCopies, storedAccount, storedName } from './copies.ts';
import { type CopySink, withPostgres, withSqlite } from './copy-sinks.ts';
import { ACTORS, GENERATIONS, MODELS, runCustomer, SESSIONS, sessionOf } from './customer.ts';
import type { Figure } from './figure.ts';
import { percentiles } from './percentiles.ts';
import type { Settings } from './settings.ts';

/** 1,000,000 actors and 10,000,000 generations. */
const ACCOUNTS = 100_000;
const P99_MS_MAX = 100;
/** Walks of each list from each third of it, and the pages of one walk. */
const WALKS = 14;
const PAGES = 3;
const DAY_MS = 24 * 3_600_000;
const UNLIMITED = 1_000_000_000;
/** A node on a machine that is loading a database may be late; a restarted one would be measured cold. */
const PATIENT_MS = 300_000;

export const benchLists = (settings: Settings): Promise<readonly Figure[]> => measured('sqlite', settings);
export const benchListsPostgres = (settings: Settings): Promise<readonly Figure[]> => measured('postgres', settings);

async function measured(kind: StoreKind, { accounts }: Settings): Promise<readonly Figure[]> {
  const stocked = await stock(kind, accounts ?? ACCOUNTS);
  try {
    return await askAll(stocked, kind);
  } finally {
    await stocked.remove();
  }
}

/** A store full of copies of one customer, and no node. */
interface Stocked {
  readonly accounts: number;
  readonly data: string;
  readonly config: object;
  readonly original: Original;
  /** The times of the oldest and of the newest generation. */
  readonly span: readonly [number, number];
  remove(): Promise<void>;
}

async function stock(kind: StoreKind, accounts: number): Promise<Stocked> {
  const store = await openChaosStore(kind);
  const hooks = await HookReceiver.open(() => 1);
  const slugs = ['sim-a', 'sim-v'] as const;
  const simulators = await Promise.all(
    slugs.map((slug) => listening('../../gateway/simulator/main.ts', ['--name', slug])),
  );
  const config = configOf(store.config, hooks.origin, simulators, slugs);
  const making = await LaunchedCluster.start(config);
  const { data } = making;
  const remove = async (): Promise<void> => {
    rmSync(data, { recursive: true, force: true });
    await store.close();
  };
  try {
    const begun = Date.now();
    const original = await runCustomer(making, hooks);
    await making.stop(true);
    const now = Date.now();
    const copying = { pepper: await readPepper(data), count: accounts, begun, spreadMs: now % DAY_MS };
    const copy = (sink: CopySink) => storeCopies(sink, original, copying);
    if (store.config.url === undefined) await withSqlite(data, copy);
    else await withPostgres(store.config.url, copy);
    process.stderr.write(`${accounts} accounts in ${Math.round((Date.now() - now) / 1_000)} s\n`);
    return { accounts, data, config, original, span: [now - copying.spreadMs, now], remove };
  } catch (error) {
    await making.stop(true);
    await remove();
    throw error;
  } finally {
    hooks.close();
    for (const each of simulators) await each.stop();
  }
}

interface Page {
  readonly data?: readonly Readonly<Record<string, unknown>>[];
  readonly next?: string | null;
}

function configOf(store: object, hooks: string, simulators: readonly Listening[], slugs: readonly string[]): object {
  return {
    store,
    launcher: { stoppedKillMs: PATIENT_MS, silentKillMs: PATIENT_MS, storeBusyKillMs: PATIENT_MS },
    nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    webhooks: { allowedTargets: [hooks] },
    providers: slugs.map((slug, nth) => simulatedProvider(slug, `http://127.0.0.1:${simulators[nth]?.port}/v1`)),
  };
}

/** What one walk asks for. */
interface Chosen {
  readonly account: string;
  readonly name: string;
  readonly key: string;
  readonly session: string;
  readonly model: string;
  readonly endpoint: string;
  readonly status: string;
  readonly today: string;
  /** An hour of the span. */
  readonly from: number;
}

interface List {
  readonly name: string;
  readonly path: (chosen: Chosen) => string;
  /** How its cursors name a place; null: it has one page, or begins with its newest entry only. */
  readonly by: 'time' | 'since' | 'address' | null;
}

const actors = (name: string, by: List['by'], query: (chosen: Chosen) => string): List => {
  return { name: `actors ${name}`, by, path: (chosen) => `/api/actors?${query(chosen)}` };
};
const generations = (name: string, by: List['by'], query: (chosen: Chosen) => string): List => {
  return { name: `generations ${name}`, by, path: (chosen) => `/api/generations?${query(chosen)}` };
};
const list = (name: string, by: List['by'], path: List['path']): List => ({ name, by, path });

const LISTS: readonly List[] = [
  list('nothing read: who is signed in', null, () => '/api/session'),
  actors('by kind', 'address', () => 'kind=file'),
  actors('by state, longest first', 'since', () => 'kind=key&state=active'),
  actors('by age, all kinds', 'since', () => 'order=newest'),
  actors('by account', null, ({ account }) => `account=${account}`),
  actors('by node', 'address', () => 'node=n1'),
  actors('unfiltered', 'address', () => ''),
  generations('unfiltered', 'time', () => ''),
  generations('unfiltered, 200 a page', 'time', () => 'limit=200'),
  generations('by account', null, ({ account }) => `account=${account}`),
  generations('by account and status', null, ({ account }) => `account=${account}&status=failed`),
  generations('by key', null, ({ key }) => `key=${encodeURIComponent(key)}`),
  generations('by model', 'time', ({ model }) => `model=${encodeURIComponent(model)}`),
  generations('by model and status', 'time', ({ model }) => `model=${encodeURIComponent(model)}&status=completed`),
  generations('by endpoint', 'time', ({ endpoint }) => `endpoint=${endpoint}`),
  generations('by status', 'time', ({ status }) => `status=${status}`),
  generations('by status running', null, () => 'status=running'),
  generations('by day', 'time', ({ today }) => `day=${today}`),
  generations('by hour', null, ({ from }) => `from=${from}&to=${from + DAY_MS / 24}`),
  generations('by cost, found by a column', 'time', () => 'minCost=1.5'),
  generations('by cost, a walk', 'time', () => 'minCost=0.5&maxCost=0.6'),
  generations('by session', null, ({ session }) => `session=${session}`),
  list('accounts', 'time', () => '/api/accounts'),
  list('accounts, 200 a page', 'time', () => '/api/accounts?limit=200'),
  list('accounts by status', 'time', () => '/api/accounts?status=active'),
  list('accounts by name', null, ({ name }) => `/api/accounts?query=${encodeURIComponent(name)}`),
  list('accounts by a part of a name', 'time', () => '/api/accounts?query=omer%20001'),
  list('batches', 'time', () => '/api/jobs?kind=batch'),
  list('videos by status', 'time', () => '/api/jobs?kind=video&status=completed'),
  list('batches by account', null, ({ account }) => `/api/jobs?kind=batch&account=${account}`),
  list('webhooks', 'time', () => '/api/webhooks'),
  list('deposits', 'time', () => '/api/deposits'),
  list('ledger of an account', null, ({ account }) => `/api/ledger?account=${account}`),
  list('audit log', 'time', () => '/api/audit'),
  list('dearest accounts of today', null, () => '/api/spend?by=account'),
  list('spend of an account by day', null, ({ account }) => `/api/spend?by=day&account=${account}`),
  list('overview with counts', null, () => '/api/overview'),
  list('search of a name', null, ({ name }) => `/api/search?q=${encodeURIComponent(name)}`),
];

/** A node over the store, and what a walk takes of it. */
interface Stage extends Stocked {
  /** A page, and how long it took, ms. */
  page(path: string): Promise<{ readonly page: Page; readonly ms: number }>;
}

async function askAll(stocked: Stocked, kind: StoreKind): Promise<readonly Figure[]> {
  const cluster = await LaunchedCluster.start(stocked.config, { kept: stocked.data });
  try {
    const { operator_url, operator_token } = cluster.connection() ?? {};
    const headers = { authorization: `Bearer ${operator_token}` };
    const page = async (path: string) => {
      const from = performance.now();
      const answer = await fetch(`${operator_url}${path}`, { headers });
      const text = await answer.text();
      const ms = performance.now() - from;
      if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status} ${text}`);
      return { page: JSON.parse(text) as Page, ms };
    };
    return await ask({ ...stocked, page }, kind);
  } finally {
    await cluster.stop(true);
  }
}

async function ask(stage: Stage, kind: StoreKind): Promise<readonly Figure[]> {
  const took = LISTS.map((): number[] => []);
  for (let walk = 0; walk < WALKS; walk++) {
    for (const third of [0, 1, 2]) {
      const chosen = await choose(stage);
      for (const [at, { path, by }] of LISTS.entries()) {
        const times = await walked(stage, path(chosen), cursorIn(stage, by, third));
        took[at]?.push(...times);
      }
    }
  }
  const size = `${(stage.accounts * ACTORS).toLocaleString('en-US')} actors, ${(stage.accounts * GENERATIONS).toLocaleString('en-US')} generations`;
  const [nothing] = took.map((times) => percentiles(times).p99);
  return LISTS.map(({ name }, at) => {
    const times = took[at] as number[];
    const { p50, p99 } = percentiles(times);
    return {
      name: `${name} (${kind})`,
      unit: 'ms',
      ours: p99,
      baseline: at === 0 ? null : (nothing as number),
      goal: { atMost: P99_MS_MAX, of: 'value' },
      note: `p50 ${p50.toFixed(1)} ms of ${times.length} pages${at === 0 ? `; ${size}` : ''}`,
    };
  });
}

async function walked(stage: Stage, path: string, cursor: string | null): Promise<readonly number[]> {
  const times: number[] = [];
  let next: string | null | undefined = cursor;
  do {
    const joint = path.includes('?') ? '&' : '?';
    const { page, ms } = await stage.page(next == null ? path : `${path}${joint}cursor=${next}`);
    times.push(ms);
    next = page.next;
  } while (next != null && times.length < PAGES);
  return times;
}

/** Where a walk begins: with the first page, somewhere, or just before the end. */
function cursorIn({ span: [oldest, newest] }: Stage, by: List['by'], third: number): string | null {
  if (by === null || third === 0) return null;
  const share = third === 1 ? Math.random() : 0.9999;
  const sort = Math.floor(newest - (newest - oldest) * share);
  const [from, to] = ['account:', 'workspace:'];
  const address =
    third === 1
      ? `file:acct_${Math.floor(Math.random() * 16 ** 8)
          .toString(16)
          .padStart(8, '0')}`
      : `${to}${from}`;
  const place =
    by === 'time' ? { sort, id: '' } : { since: by === 'since' ? sort : 0, address: by === 'since' ? '' : address };
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

async function choose(stage: Stage): Promise<Chosen> {
  const n = 1 + Math.floor(Math.random() * (stage.accounts - 1));
  const account = storedAccount(n);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
  const { page } = await stage.page(`/api/generations?account=${account}&limit=1`);
  const [one] = page.data ?? [];
  if (one === undefined) throw new Error(`${account} has no generation`);
  const [oldest, newest] = stage.span;
  return {
    account,
    name: storedName(stage.original.name, n),
    key: String(one.key),
    session: sessionOf(account, Math.floor(Math.random() * SESSIONS)),
    model: pick(MODELS),
    endpoint: String(one.endpoint),
    status: pick(['completed', 'failed', 'cancelled']),
    today: new Date(newest).toISOString().slice(0, 10),
    from: Math.floor(oldest + Math.random() * (newest - oldest)),
  };
}
