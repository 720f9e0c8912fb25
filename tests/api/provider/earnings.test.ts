/**
 * What providers earned, over the API: every charge of a mixed workload, to the last digit, against the generation rows
 * and the ledgers. (rule C47)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress, providerAccountId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { limit } from '../../support/pace.ts';
import { clientOf, chat as line, submission } from '../batches/client.ts';
import type { Answered, Client } from '../keys/client.ts';
import { chat, openCluster, providerClient } from './cluster.ts';

const it = bounded(test, 120_000);
const SLUGS = ['sim-a', 'sim-b', 'sim-v'] as const;

let cluster: TestCluster;
const providers = new Map<string, Client>();
test.before(async () => {
  cluster = await openCluster();
  for (const slug of SLUGS) providers.set(slug, await providerClient(cluster, slug));
  await work();
});
test.after(() => cluster.close());

const as = (slug: string): Client => providers.get(slug) as Client;
const only = (slug: string) => ({ provider: { only: [slug], allow_fallbacks: false } });

/** Chats at two providers, whole and streamed, failures, a fallback, a batch with a failing line, and two videos. */
async function work(): Promise<void> {
  const { key } = await cluster.fund('50');
  const { key: other } = await cluster.fund('50');
  const [model, fallback] = ['sim/small', 'sim/fast'];
  for (const slug of ['sim-a', 'sim-b']) {
    for (const tokens of [1, 7, 30]) await chat(cluster, key, { model, directive: { tokens }, more: only(slug) });
    await chat(cluster, other, { model: fallback, directive: { tokens: 5 }, more: only(slug) });
    const failed = await chat(cluster, key, { model, directive: { status: 500 }, more: only(slug) });
    assert.is(failed.status, 502);
  }
  await chat(cluster, key, { model: 'sim/reasoner', directive: { tokens: 3, reasoningTokens: 9 } });
  const messages = [{ role: 'user', content: '@sim {"tokens":11}' }];
  const streaming = { model, stream: true, messages, ...only('sim-a') };
  const streamed = await clientOf(cluster, key).chat(streaming, { node: 1 });
  assert.match(await streamed.text(), /\[DONE\]/);
  await batch(other);
  await video(key);
}

async function batch(key: string): Promise<void> {
  const client = clientOf(cluster, key);
  const bodies = [line({ tokens: 2 }), line({ tokens: 4 }, only('sim-b')), line({ status: 400 }), line({ tokens: 6 })];
  const { id } = await client.submit(submission(bodies));
  assert.is((await client.end(id)).status, 'completed');
}

async function video(key: string): Promise<void> {
  const { ask } = clientOf(cluster, key);
  for (const directive of [{ render_ms: 1 }, { render_ms: 1, status: 500 }]) {
    const prompt = `a lake @sim ${JSON.stringify(directive)}`;
    const job = { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' };
    const { id } = (await ask<{ id: string }>('/videos', { body: job })).body;
    for (;;) {
      const { status } = (await ask<{ status: string }>(`/videos/${id}`)).body;
      if (status !== 'pending' && status !== 'in_progress') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

interface Row {
  readonly date: string;
  readonly endpoint_id: string;
  readonly model_id: string;
  readonly final: boolean;
  readonly requests: number;
  readonly unpriced_requests: number;
  readonly units: Readonly<Record<string, number | string>>;
  readonly gross: string;
  readonly fee: string;
  readonly net: string;
}
type Total = Pick<Row, 'requests' | 'gross' | 'net'>;

const DECIMALS = 24;
/** In 10^-24 USD. */
function exact(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  assert.ok(fraction.length <= DECIMALS);
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

async function rowsOf<T>(collection: string): Promise<readonly T[]> {
  const [{ cluster: node }] = cluster.nodes as [TestCluster['nodes'][number]];
  const rows = await node.rows.rows({ collection, limit: 1_000 });
  assert.ok(rows.length < 1_000);
  return rows.map(({ body }) => JSON.parse(body) as T);
}

/** Charged cost and requests by day and endpoint, from the generation rows alone. */
async function oracle(): Promise<Map<string, { cost: bigint; requests: number; tokens: number }>> {
  const sums = new Map<string, { cost: bigint; requests: number; tokens: number }>();
  for (const { status, endedAt, endpoint, settlement } of await rowsOf<Generation>('generation')) {
    if (status !== 'settled' || settlement === null) continue;
    const name = `${new Date(endedAt as number).toISOString().slice(0, 10)} ${endpoint}`;
    const sum = sums.get(name) ?? { cost: 0n, requests: 0, tokens: 0 };
    const tokens = (settlement.promptTokens ?? 0) + (settlement.completionTokens ?? 0);
    sums.set(name, {
      ...{ cost: sum.cost + exact(settlement.cost), requests: sum.requests + 1, tokens: sum.tokens + tokens },
    });
  }
  return sums;
}

const dataOf = <T>({ status, body }: Answered): T => {
  assert.is(status, 200, JSON.stringify(body));
  return (body as { data: T }).data;
};

/** The earnings of all providers once they are as new as the rows; today's are at most seconds behind. */
async function settledEarnings(): Promise<{ rows: Map<string, Row>; totals: Total[] }> {
  for (const leftMs = limit(60_000); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const expected = await oracle();
    const rows = new Map<string, Row>();
    const totals: Total[] = [];
    for (const slug of SLUGS) {
      const answer = await as(slug).send('GET', '/provider/earnings');
      for (const row of dataOf<Row[]>(answer)) rows.set(`${row.date} ${row.endpoint_id}`, row);
      totals.push((answer.body as { total: Total }).total);
    }
    const requests = [...expected.values()].reduce((sum, one) => sum + one.requests, 0);
    if (totals.reduce((sum, one) => sum + one.requests, 0) === requests || leftMs() === 0) return { rows, totals };
  }
}

it('the earnings of all providers are the charges of the generations and of the ledgers, digit for digit (rule C47)', async () => {
  const { rows, totals } = await settledEarnings();
  const expected = await oracle();
  assert.ok([...expected.values()].reduce((sum, one) => sum + one.requests, 0) >= 14);
  assert.equal([...rows.keys()].sort(), [...expected.keys()].sort());
  for (const [name, { cost, requests, tokens }] of expected) {
    const row = rows.get(name) as Row;
    assert.is(exact(row.gross), cost, name);
    assert.is(row.requests, requests, name);
    const { prompt_tokens, completion_tokens } = row.units;
    assert.is(Number(prompt_tokens) + Number(completion_tokens), tokens, name);
    assert.equal([row.fee, row.net], ['0', row.gross]);
  }
  const ledger = (await rowsOf<LedgerEntry>('ledger')).filter(({ type }) => type === 'charge');
  const charged = ledger.reduce((sum, { amount }) => sum + exact(amount), 0n);
  assert.is(
    totals.reduce((sum, { gross }) => sum + exact(gross), 0n),
    charged,
  );
});

it('a provider reads no earnings of another one, and the seconds of its videos', async () => {
  await settledEarnings();
  for (const slug of SLUGS) {
    const own = dataOf<Row[]>(await as(slug).send('GET', '/provider/serving'));
    for (const row of dataOf<Row[]>(await as(slug).send('GET', '/provider/earnings')))
      assert.ok(own.some(({ endpoint_id }) => endpoint_id === row.endpoint_id));
  }
  const [clip] = dataOf<Row[]>(await as('sim-v').send('GET', '/provider/earnings'));
  assert.equal([clip?.requests, Number(clip?.units.video_seconds)], [1, 1]);
});

it('the statement of the month sums the days, by model and endpoint, as JSON and as CSV', async () => {
  await settledEarnings();
  const [running] = dataOf<{ month: string; ended: boolean }[]>(await as('sim-a').send('GET', '/provider/statements'));
  const month = running?.month as string;
  assert.is(running?.ended, false);
  const path = `/provider/statements/${month}`;
  const statement = dataOf<{ total: Total; final: boolean; by_model: Total[]; by_endpoint: Total[]; days: Row[] }>(
    await as('sim-a').send('GET', path),
  );
  const sum = (parts: readonly Total[]): bigint => parts.reduce((all, { gross }) => all + exact(gross), 0n);
  assert.ok(statement.days.length > 0 && !statement.final && statement.days.every(({ final }) => !final));
  for (const parts of [statement.days, statement.by_model, statement.by_endpoint])
    assert.is(sum(parts), exact(statement.total.gross));
  const { key } = await ofProvider('sim-a');
  const csv = await clientOf(cluster, key).send(`${path}?format=csv`);
  assert.is(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  const lines = (await csv.text()).trimEnd().split('\r\n');
  assert.is(lines.length, statement.days.length + 2);
  assert.match(lines.at(-1) as string, new RegExp(`^total,,,${statement.total.requests},`));
  assert.ok((lines.at(-1) as string).endsWith(`,${statement.total.gross},0,${statement.total.net}`));
});

async function ofProvider(slug: string): Promise<{ readonly key: string }> {
  return cluster.issue(accountAddress(providerAccountId(slug)), { kind: 'provider' });
}

it('days and months out of range are refused', async () => {
  const get = async (path: string): Promise<number> => (await as('sim-a').send('GET', path)).status;
  for (const query of ['from=2026-13-01', 'to=yesterday', 'from=2026-02-30', 'from=2027-01-02&to=2027-01-01'])
    assert.is(await get(`/provider/earnings?${query}`), 400, query);
  assert.is(await get('/provider/earnings?from=2020-01-01&to=2026-01-01'), 400);
  assert.is(await get('/provider/earnings?from=2020-01-01&to=2020-01-31'), 200);
  assert.is(await get('/provider/statements/2020-13'), 400);
  assert.is(await get('/provider/statements/2020-01'), 404);
  assert.is(await get('/provider/statements/9999-12'), 404);
});

test.run();
