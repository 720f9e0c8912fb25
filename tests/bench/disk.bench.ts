/**
 * What a generation costs on disk: 100,000 are admitted and settled by the account and the key of a real engine over each
 * store, with ids and members as the gateway writes them. The bytes are those of the rows with all of their indexes.
 * Beside it, what the removal of an old month of a ledger costs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createAccount, creditDeposit, settle } from '../../actors/account/account.ts';
import { admit, createKey } from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import { type Cluster, systemRandom } from '../../actors/runtime/index.ts';
import type { HoldRequest } from '../../actors/terms/hold.ts';
import { endpointId, generationId } from '../../actors/terms/ids.ts';
import { agedSweep, openAged, writeAged } from '../support/aged-ledger.ts';
import { request, settlement } from '../support/model/words.ts';
import { openDatabase } from '../support/postgres/database.ts';
import { TESTER } from '../support/tester.ts';
import { openBenchStore } from './bench-store.ts';
import type { Figure } from './figure.ts';
import { askOf, owningEngines } from './owning-engines.ts';

const GENERATIONS = 100_000;
const IN_FLIGHT = 256;
const ENTRIES = 10_000;
const ASK_MS = 60_000;
const ACCOUNT = 'account:acct_m4x2k9q7w1';
const KEY = 'key:acct_m4x2k9q7w1/key_0c5b0a1e2d3f4a5b';
const DAY_MS = 86_400_000;

export async function benchDisk(): Promise<readonly Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-disk-'));
  try {
    return [...(await onSqlite(join(home, 'rows.db'))), ...(await onPostgres()), ...(await sweepCost(home))];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function onSqlite(path: string): Promise<readonly Figure[]> {
  await fill(path);
  const database = new Database(path);
  const size = (): number => (database.pragma('page_count', { simple: true }) as number) * 4_096;
  const all = size();
  database.exec("VACUUM; DELETE FROM rows WHERE collection = 'ledger'; VACUUM;");
  const [body] = database.prepare("SELECT avg(length(body)) FROM rows WHERE collection = 'generation'").raw().get() as [
    number,
  ];
  const own = size();
  database.close();
  return figures('SQLite', all, own, body);
}

async function onPostgres(): Promise<readonly Figure[]> {
  const database = await openDatabase();
  try {
    await fill(database.url);
    const size = async (): Promise<number> => {
      const [row] = await database.run("SELECT pg_total_relation_size('rows') AS bytes");
      return Number(row?.bytes);
    };
    const all = await size();
    await database.run("DELETE FROM rows WHERE collection = 'ledger'");
    await database.run('VACUUM FULL rows');
    const [row] = await database.run("SELECT avg(length(body)) AS body FROM rows WHERE collection = 'generation'");
    return figures('PostgreSQL', all, await size(), Number(row?.body));
  } finally {
    await database.drop();
  }
}

function figures(store: string, all: number, own: number, body: number): readonly Figure[] {
  const figure = { unit: 'bytes', baseline: null, goal: { atMost: 10_000, of: 'value' } } as const;
  return [
    { ...figure, name: `a generation with its ledger entry, ${store}, as written`, ours: all / GENERATIONS },
    {
      ...figure,
      name: `a generation alone, ${store}, packed`,
      ours: own / GENERATIONS,
      note: `its record has ${Math.round(body)} bytes`,
    },
  ];
}

async function fill(path: string): Promise<void> {
  const store = await openBenchStore(path);
  const engine = (await owningEngines(store, 'inc-bench'))({ kinds });
  const ask = askOf(engine);
  const cluster = {
    ask: async (to: string, event: never) => {
      const answer = await ask(to, event);
      if (!answer.ok) throw new Error(JSON.stringify(answer));
      return answer.body;
    },
    now: () => Date.now(),
  } as unknown as Cluster;
  await createAccount(cluster, ACCOUNT, 'b', ASK_MS);
  await creditDeposit(cluster, ACCOUNT, { id: 'dep_1', amount: '100000000', by: TESTER }, ASK_MS);
  const key = { digest: 'd'.repeat(64), handle: 'd'.repeat(64), name: 'k', label: 'l', kind: 'inference' } as const;
  const unbounded = { limit: null, limitWindow: null, expiresAt: null, perMinute: null };
  await createKey(cluster, KEY, { ...key, ...unbounded, by: TESTER }, ASK_MS);
  let left = GENERATIONS;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) await one(cluster);
    }),
  );
  await engine.close();
  await store.close();
}

const ENDPOINTS = ['alpha', 'beta', 'gamma'].map((slug) => endpointId(slug, 'meta-llama/llama-3.3-70b-instruct'));

/** A chat completion that its first endpoint of three served. */
async function one(cluster: Cluster): Promise<void> {
  const id = generationId(systemRandom, Date.now());
  const [endpoint = ''] = ENDPOINTS;
  const held: HoldRequest = request(id, '0.00163840', {
    gateway: '0123456789abcdef01234567',
    deadlineAt: Date.now() + 600_000,
    model: 'meta-llama/llama-3.3-70b-instruct',
    endpoint,
    provider: 'Alpha',
    streamed: true,
    route: { candidates: ENDPOINTS.map((candidate) => ({ endpoint: candidate })) },
  });
  const admission = await admit(cluster, KEY, held, { perMinute: 1_000_000_000, withinMs: ASK_MS });
  if (!('admitted' in admission) || !admission.admitted) throw new Error(JSON.stringify(admission));
  const attempts = [{ endpoint, provider: 'Alpha', status: 200, outcome: 'served', latencyMs: 412 }] as const;
  const ended = { ...settlement(id, '0.00012345'), upstreamId: 'chatcmpl-9f8e7d6c5b4a39281706', attempts };
  await settle(cluster, ACCOUNT, ended, ASK_MS);
}

/** One month of 10,000 entries, exported and removed, and the same of the audit log. */
async function sweepCost(home: string): Promise<readonly Figure[]> {
  const path = join(home, 'aged.db');
  await writeAged(
    path,
    new Map([
      [-200 * DAY_MS, ENTRIES],
      [0, 1],
    ]),
  );
  const aged = await openAged(path, 0);
  const sweep = agedSweep(aged, join(home, 'export'));
  const [began, used] = [performance.now(), process.cpuUsage()];
  await sweep.round();
  const { user, system } = process.cpuUsage(used);
  const took = performance.now() - began;
  await aged.close();
  const figure = { unit: 'ms', baseline: null, goal: { atMost: 60_000, of: 'value' } } as const;
  return [
    {
      ...figure,
      name: `a month of ${ENTRIES} entries of ledger and audit log each, exported and removed, SQLite`,
      ours: took,
    },
    { ...figure, name: 'the same, CPU', ours: (user + system) / 1_000 },
  ];
}
