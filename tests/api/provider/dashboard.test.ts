/** What a provider reads and reports with a key of its account. (rule C47, rule K11) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointId, providerId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { limit } from '../../support/pace.ts';
import { openApi } from '../client.ts';
import type { Answered, Client } from '../keys/client.ts';
import { chat, openCluster, providerClient } from './cluster.ts';

const it = bounded(test, 120_000);

const { cluster, send } = await openApi(test, openCluster);
let [alpha, beta]: Client[] = [];

test.before(async () => {
  alpha = await providerClient(cluster, 'sim-a');
  beta = await providerClient(cluster, 'sim-b', 1);
});

type Members = Record<string, unknown>;
const listOf = ({ body }: Answered): Members[] => (body as { data: Members[] }).data;
const read = (as: Client | undefined, path: string): Promise<Answered> => (as as Client).send('GET', path);
const only = (slug: string) => ({ provider: { only: [slug] } });
const MODEL = 'sim/small';
const [OWN, OTHER] = [endpointId('sim-a', MODEL), endpointId('sim-b', MODEL)];

it('a provider sees itself and its own endpoints, with the health and the prices that the catalogue shows (rule K11)', async () => {
  const self = (await read(alpha, '/provider')).body as { data: Members };
  assert.is(self.data.slug, 'sim-a');
  assert.is(self.data.id, providerId('sim-a'));
  const own = listOf(await read(alpha, '/provider/serving'));
  const others = listOf(await read(beta, '/provider/serving'));
  assert.is(own.length, self.data.endpoint_count);
  const ids = new Set(own.map(({ endpoint_id }) => endpoint_id));
  assert.ok(ids.has(OWN));
  assert.not.ok(others.some(({ endpoint_id }) => ids.has(endpoint_id)));
  const listed = (await (await send(`/models/${MODEL}/endpoints`, { key: null })).json()) as {
    data: { endpoints: Members[] };
  };
  const shown = listed.data.endpoints.find(({ provider_slug }) => provider_slug === 'sim-a') as Members;
  const row = own.find(({ endpoint_id }) => endpoint_id === OWN) as Members;
  for (const name of ['model_id', 'tag', 'status', 'health', 'pricing', 'capacity', 'uptime_last_1d'])
    assert.equal(row[name], shown[name], name);
});

it('measurements are the figures of the catalogue, with counts and errors by cause (rule C47)', async () => {
  const { key } = await cluster.fund('10');
  const counted = async (endpoint: string): Promise<Members> => {
    const [row] = listOf(await read(alpha, `/provider/measurements?endpoint_id=${endpoint}`));
    return ((row as Members).attempts_last_30m ?? {}) as Members;
  };
  const before = await counted(OWN);
  for (let n = 0; n < 6; n++) {
    const { status } = await chat(cluster, key, { model: MODEL, directive: { tokens: 3 }, more: only('sim-a') });
    assert.is(status, 200);
  }
  const failing = [{ status: 500 }, { garbage: 'content-type' }];
  for (const directive of failing) await chat(cluster, key, { model: MODEL, directive, more: only('sim-a') });
  const causesIn = ({ errors_by_cause: causes = {} }: Members): Record<string, number> =>
    causes as Record<string, number>;
  let row: Members = {};
  // Figures are published at most every five seconds; one more attempt publishes what was gathered.
  for (const leftMs = limit(60_000); leftMs() > 0; await new Promise((resolve) => setTimeout(resolve, 200))) {
    await chat(cluster, key, { model: MODEL, directive: { tokens: 1 }, more: only('sim-a') });
    [row = {}] = listOf(await read(alpha, `/provider/measurements?endpoint_id=${OWN}`));
    const shown = row.attempts_last_30m as Members;
    const isThere = ['unavailable', 'garbage'].every((cause) => causesIn(shown)[cause] !== undefined);
    if (isThere && Number(shown.succeeded) >= Number(before.succeeded) + 6) break;
  }
  const { total, succeeded, failed, tokens, errors_by_cause } = row.attempts_last_30m as Members;
  assert.is(total, Number(succeeded) + Number(failed));
  const causes = causesIn({ errors_by_cause });
  assert.is(
    Object.values(causes).reduce((sum, count) => sum + count, 0),
    failed,
  );
  for (const cause of ['unavailable', 'garbage']) assert.ok((causes[cause] ?? 0) > 0, cause);
  assert.ok(Number(tokens) >= 6 * 3);
  assert.is(row.uptime_last_30m_samples, total);
});

it('a window narrows the figures, an unknown window is refused', async () => {
  const [row] = listOf(await read(alpha, `/provider/measurements?endpoint_id=${OWN}&window=1d`)) as [Members];
  assert.ok('uptime_last_1d' in row && 'tool_call_success_1d' in row && 'attempts_last_1d' in row);
  assert.not.ok(Object.keys(row).some((name) => /_(5m|30m|7d)(_|$)/.test(name)));
  assert.is((await read(alpha, '/provider/measurements?window=2d')).status, 400);
});

it('an endpoint of another provider is as unknown as one that does not exist (rule K11)', async () => {
  const answers = [];
  for (const id of [OTHER, 'ep_0000000000000000', 'x', '../sim-b']) {
    const shown = await read(alpha, `/provider/measurements?endpoint_id=${encodeURIComponent(id)}`);
    const reported = await (alpha as Client).send('POST', '/provider/capacity', {
      ...{ endpoint_id: id, current: 0, total: 1 },
    });
    answers.push(shown, reported);
  }
  const [first] = answers as [Answered];
  assert.is(first.status, 404);
  for (const answer of answers) assert.equal(answer, first);
  assert.is(await capacityOf('sim-b'), null);
});

async function capacityOf(slug: string, model = MODEL): Promise<unknown> {
  const listed = (await (await send(`/models/${model}/endpoints`, { key: null, node: 1 })).json()) as {
    data: { endpoints: Members[] };
  };
  return listed.data.endpoints.find(({ provider_slug }) => provider_slug === slug)?.capacity;
}

it('a report of capacity is refused member by member, and a report out of the last minute is refused', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const good = { endpoint_id: OWN, current: 1, total: 4 };
  const bad: [object, RegExp][] = [
    [{ ...good, endpoint_id: undefined }, /endpoint_id/],
    [{ ...good, endpoint_id: 7 }, /endpoint_id/],
    [{ ...good, current: undefined }, /current/],
    [{ ...good, current: -1 }, /current/],
    [{ ...good, current: 1.5 }, /current/],
    [{ ...good, current: '1' }, /current/],
    [{ ...good, current: 5 }, /current/],
    [{ ...good, total: 1e9 }, /total/],
    [{ ...good, total: undefined }, /total/],
    [{ ...good, updated_at: 'now' }, /updated_at/],
    [{ ...good, updated_at: now - 3_600 }, /updated_at/],
    [{ ...good, updated_at: now + 3_600 }, /updated_at/],
  ];
  for (const [body, member] of bad) {
    const answer = await (alpha as Client).send('POST', '/provider/capacity', body);
    assert.is(answer.status, 400, JSON.stringify(body));
    assert.match(JSON.stringify(answer.body), member);
  }
  assert.is(await capacityOf('sim-a'), null);
});

it('a saturated endpoint is tried last and shown as such; an older report does not replace a newer one', async () => {
  const { key } = await cluster.fund('10');
  // No other test of this folder calls this model, so both endpoints are alike but for their reports.
  const fast = 'sim/fast';
  const [own, other] = [endpointId('sim-a', fast), endpointId('sim-b', fast)];
  const report = (as: Client | undefined, endpoint: string, slots: object): Promise<Answered> =>
    (as as Client).send('POST', '/provider/capacity', { endpoint_id: endpoint, ...slots });
  const now = Math.floor(Date.now() / 1_000);
  const full = await report(beta, other, { current: 8, total: 8, updated_at: now });
  assert.is(full.status, 200);
  const { data } = full.body as { data: Members };
  assert.equal(data, { endpoint_id: other, current: 8, total: 8, updated_at: now, expires_at: now + 60 });
  assert.is((await report(alpha, own, { current: 0, total: 8, updated_at: null })).status, 200);
  const older = (await report(beta, other, { current: 0, total: 8, updated_at: now - 30 })).body as { data: Members };
  assert.is(older.data.current, 8);
  const isShown = async (): Promise<boolean> => {
    const [free, saturated] = [await capacityOf('sim-a', fast), await capacityOf('sim-b', fast)] as (Members | null)[];
    return free?.current === 0 && saturated?.current === 8;
  };
  for (const leftMs = limit(30_000); !(await isShown()) && leftMs() > 0; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(await isShown());
  const servers = new Set<unknown>();
  for (let n = 0; n < 12; n++) servers.add((await chat(cluster, key, { model: fast })).body.provider);
  assert.equal([...servers], ['Sim A']);
});

it('a provider has its models document read, and sees the result in the history that no other provider has', async () => {
  const accepted = await (alpha as Client).send('POST', '/provider/models-document/refresh');
  assert.is(accepted.status, 202);
  const { status, run } = accepted.body as { status: string; run: Members };
  assert.is(status, 'queued');
  const stateOf = ({ body }: Answered) => (body as { data: { running: unknown; history: Members[] } }).data;
  const ended = await (alpha as Client).until(
    'GET',
    '/provider/models-document',
    (answer) => answer.status === 200 && stateOf(answer).history.some(({ id }) => id === run.id),
  );
  const shown = stateOf(ended).history.find(({ id }) => id === run.id) as Members;
  assert.equal([shown.by, shown.result, shown.changes, shown.faults], ['provider', 'declared', 0, []]);
  assert.ok(Number(shown.endpoints) > 0);
  assert.equal(stateOf(await read(beta, '/provider/models-document')).history, []);
});

test.run();
