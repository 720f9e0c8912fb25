/** The client functions of all kinds over one real engine: each sends events that its chart accepts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as accounts from '../../actors/account/account.ts';
import * as endpoints from '../../actors/endpoint/endpoint.ts';
import type { NewKey } from '../../actors/key/changes.ts';
import * as credentials from '../../actors/key/credential.ts';
import * as keys from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import * as providers from '../../actors/provider/provider.ts';
import * as windows from '../../actors/rate-window/rate-window.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import { bounded } from '../support/bounded.ts';
import { DECLARATION } from '../support/model/endpoints.ts';
import * as words from '../support/model/words.ts';
import { ACCOUNT, KEY } from '../support/model/words.ts';
import { TESTER } from '../support/tester.ts';
import { openStage, type Stage, until } from './runtime/durable/stage.ts';

const it = bounded(test);
const MS = 5_000;
const DIGEST = 'd'.repeat(64);

/** The part of a cluster that the client functions use. */
function clusterOf({ body, tell, store }: Stage): Cluster {
  const rows = {
    row: (address: string, collection: string, id: string) => store.row({ address, collection, id }),
    rowById: store.rowById.bind(store),
    rows: store.rows.bind(store),
  };
  return { ask: body, tell, rows } as unknown as Cluster;
}

it('opens an account, credits, corrects, suspends and resumes it', async () => {
  const stage = await openStage({ kinds });
  const cluster = clusterOf(stage);
  assert.ok((await accounts.createAccount(cluster, ACCOUNT, 'Ada', MS)).created);
  assert.is(
    (await accounts.creditDeposit(cluster, ACCOUNT, { id: 'dep-1', amount: '5', by: TESTER }, MS)).balance,
    '5',
  );
  const correction = { id: 'adj-1', amount: '-2', reason: 'charged back', by: TESTER };
  assert.is((await accounts.recordAdjustment(cluster, ACCOUNT, correction, MS)).balance, '3');
  assert.is((await accounts.changeAccount(cluster, ACCOUNT, 'suspend', MS, TESTER)).status, 'suspended');
  assert.is((await accounts.changeAccount(cluster, ACCOUNT, 'resume', MS, TESTER)).status, 'open');
  assert.is((await accounts.showAccount(cluster, ACCOUNT, MS)).available, '3');
  await stage.close();
});

it('creates a key, spends with it, and reads every record', async () => {
  const stage = await openStage({ kinds });
  const cluster = clusterOf(stage);
  await accounts.createAccount(cluster, ACCOUNT, 'Ada', MS);
  await accounts.creditDeposit(cluster, ACCOUNT, { id: 'dep-1', amount: '5', by: TESTER }, MS);
  const { type: _, ...made } = words.createKeyEvent({ name: 'first' });
  assert.ok((await keys.createKey(cluster, KEY, made as NewKey, MS)).created);
  const deadlineAt = Date.now() + 600_000;
  const held = words.request('gen-1', '1', { deadlineAt });
  assert.ok((await keys.admit(cluster, KEY, held, { perMinute: 10, withinMs: MS })).admitted);
  const dearer = words.request('gen-1', '2', { attempt: 1, deadlineAt });
  assert.ok((await keys.raise(cluster, KEY, dearer, MS)).admitted);
  const settled = await accounts.settle(cluster, ACCOUNT, words.settlement('gen-1', '0.5', 1), MS);
  assert.equal(settled, { generation: 'gen-1', cost: '0.5', late: false });
  const released = await accounts.release(cluster, ACCOUNT, words.release('gen-1', 1), MS);
  assert.equal(released, { generation: 'gen-1', status: 'settled' });
  assert.equal(await keys.countRequest(cluster, KEY, { perMinute: 10, withinMs: MS }), { counted: true });
  assert.is((await credentials.findCredential(cluster, DIGEST))?.key, KEY);
  assert.is(await credentials.findCredential(cluster, 'e'.repeat(64)), null);
  const limited = await keys.editKey(
    cluster,
    KEY,
    { limit: '1', limitWindow: 'monthly' },
    { by: TESTER, withinMs: MS },
  );
  assert.is(limited.limitRemaining, '0.5');
  assert.is((await keys.changeKey(cluster, KEY, 'disable', MS, TESTER)).status, 'disabled');
  assert.is((await keys.changeKey(cluster, KEY, 'enable', MS, TESTER)).status, 'active');
  assert.is((await keys.changeKey(cluster, KEY, 'revoke', MS, TESTER)).status, 'revoked');
  assert.equal(
    (await credentials.listKeys(cluster, ACCOUNT, 10)).map((key) => [key.name, key.status]),
    [['first', 'revoked']],
  );
  assert.is((await keys.showKey(cluster, KEY, MS)).usage, '0.5');
  await stage.close();
});

it('takes from windows, singly and in slices, without a stored row', async () => {
  const stage = await openStage({ kinds });
  const cluster = clusterOf(stage);
  const single = { count: 1, limit: 1, windowMs: 86_400_000 };
  assert.ok((await windows.takeWindow(cluster, 'stranger', single, MS)).granted);
  assert.not((await windows.takeWindow(cluster, 'stranger', single, MS)).granted);
  const whole = { limit: 80, windowMs: 86_400_000, nodes: 1 };
  const { granted, windowStart } = await windows.takeSlice(cluster, windows.ENDPOINT_WINDOW, whole, MS);
  assert.is(granted, 10);
  windows.returnSlice(cluster, windows.ENDPOINT_WINDOW, { count: 10, windowStart });
  assert.is((await windows.takeSlice(cluster, windows.ENDPOINT_WINDOW, whole, MS)).granted, 10);
  assert.equal(
    (await stage.store.actorCounts()).filter(({ kind }) => kind === 'rate-window'),
    [],
  );
  await stage.close();
});

it('declares providers and endpoints, which publish themselves and their observations', async () => {
  const stage = await openStage({ kinds });
  const cluster = clusterOf(stage);
  const facts = {
    ...{ id: 'prov_1', slug: 'alpha', name: 'Alpha', website: null, privacyPolicyUrl: null, termsOfServiceUrl: null },
    ...{ statusPageUrl: null, headquarters: null, datacenters: null },
  };
  assert.ok(await providers.declareProvider(cluster, facts, MS));
  assert.not(await providers.declareProvider(cluster, facts, MS));
  const declaration = { ...DECLARATION, provider: facts };
  assert.ok(await endpoints.declareEndpoint(cluster, declaration, MS));
  const success = { outcome: 'success', streamed: true, ttftMs: 100 } as const;
  endpoints.observeAttempts(cluster, 'ep_1', [success, success, success, success, success]);
  for (let i = 0; i < 2; i++)
    endpoints.observeProbe(cluster, 'ep_1', { category: 'connect', text: 'connection refused' });
  const healthShown = () =>
    stage.recorded.published
      .filter(({ topic }) => topic === endpoints.ENDPOINTS_TOPIC)
      .map(({ value }) => (value as { health?: string } | null)?.health);
  await until(() => healthShown().includes('degraded'));
  assert.ok(healthShown().includes('healthy'));
  assert.ok(await endpoints.withdrawEndpoint(cluster, 'ep_1', MS));
  assert.ok(await providers.withdrawProvider(cluster, 'alpha', MS));
  assert.is(stage.recorded.published.at(-1)?.topic, providers.PROVIDERS_TOPIC);
  assert.is(stage.recorded.published.at(-1)?.value, null);
  await stage.close();
});

test.run();
