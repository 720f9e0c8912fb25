import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../actors/runtime/index.ts';
import { inflightRoutes } from '../../../../gateway/operator/api/inflight.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort } from '../port.ts';

const it = bounded(test);
const ACCOUNT = 'account:acct_1';
const KEY = 'key:acct_1/key_9';
const view = (id: string, startedAt: number) => ({
  id,
  kind: 'request',
  account: ACCOUNT,
  key: KEY,
  model: 'sim/fast',
  provider: 'alpha',
  endpoint: 'ep_1',
  phase: 'streaming',
  phaseSince: startedAt,
  startedAt,
  tokens: 3,
  held: '0.01',
});

interface Asked {
  readonly name: string;
  readonly input: Json;
  readonly node: string | undefined;
}

/** Two nodes, of which one is away; `acme` is the account's name and `production` the key's. */
function twoNodes(stopped: object = { outcome: 'stopped' }) {
  const asked: Asked[] = [];
  const recorded: unknown[] = [];
  const rows = [
    { address: ACCOUNT, collection: 'profile', body: JSON.stringify({ account: ACCOUNT, name: 'Acme' }) },
    { address: KEY, collection: 'credential', body: JSON.stringify({ key: KEY, name: 'production', label: 'sk-1' }) },
  ];
  const cluster = clusterOf({
    operator: {
      askHosts: async (name: string, input: Json, node?: string) => {
        asked.push({ name, input, node });
        if (name === 'flights.stop') return [{ node, answer: stopped }];
        const { id } = input as { readonly id?: string };
        const views = [view('gen-2', 20), view('gen-1', 10)].filter((one) => id === undefined || one.id === id);
        return [
          { node: 'n1', answer: { total: 7, views } },
          { node: 'n2', answer: null },
        ];
      },
    },
    ask: async (_to: string, event: Json) => {
      recorded.push(event);
      return {};
    },
    rows: {
      row: async (address: string, collection: string) =>
        rows.find((row) => row.address === address && row.collection === collection) ?? null,
      rows: async ({ address, collection, where }: Readonly<Record<string, unknown>>) =>
        rows.filter(
          (row) =>
            row.collection === collection &&
            (address === undefined || row.address === address) &&
            (where === undefined || (where as { readonly equals: string }).equals === 'acme'),
        ),
      rowById: async () => null,
    },
  });
  return { cluster, asked, recorded };
}

it('the work of all nodes is one list, the oldest first, with the names of accounts and keys', async () => {
  const port = await openPort(inflightRoutes);
  const { cluster, asked } = twoNodes();
  port.cluster = cluster;
  const answer = await answerTo(port, 'GET', '/api/inflight?account=ACME&kind=request');
  assert.is(answer.slice(0, 3), '200');
  const { data, total } = JSON.parse(answer.slice(4));
  assert.is(total, 7);
  assert.equal(
    data.map((one: { id: string; accountName: string; keyName: string; node: string }) => [
      one.id,
      one.accountName,
      one.keyName,
      one.node,
    ]),
    [
      ['gen-1', 'Acme', 'production', 'n1'],
      ['gen-2', 'Acme', 'production', 'n1'],
    ],
  );
  assert.equal(asked, [{ name: 'flights.list', input: { kind: 'request', account: ACCOUNT }, node: undefined }]);
  assert.match(await answerTo(port, 'GET', '/api/inflight?account=nobody'), /^404 /);
  port.close();
});

it('a stop says first what it would do, then is recorded and asked of the node that works on it (rule E52)', async () => {
  const port = await openPort(inflightRoutes);
  const { cluster, asked, recorded } = twoNodes();
  port.cluster = cluster;
  const stop = (body: object, id = 'gen-1') =>
    answerTo(port, 'POST', `/api/inflight/${id}/stop`, { body: JSON.stringify(body) });
  assert.match(await stop({ reason: 'runs away', dryRun: true }), /^200 .*would.*stop gen-1.*troupe stop gen-1/);
  assert.equal(recorded, []);
  assert.match(await stop({ reason: 'runs away' }), /^200 .*stopped gen-1/);
  assert.is(recorded.length, 1);
  const last = asked.at(-1) as Asked;
  assert.is(last.node, 'n1');
  assert.is((last.input as { readonly reason: string }).reason, 'runs away');
  assert.match(await stop({ reason: 'runs away' }, 'gen-9'), /^404 /);
  assert.match(await stop({}), /^400 .*reason/);
  port.close();
});

it('work that cannot be stopped answers 409 with the reason, and one that ended meanwhile 404', async () => {
  for (const [outcome, status] of [
    [{ outcome: 'refused', why: 'the endpoint cannot abort the render' }, '409'],
    [{ outcome: 'absent' }, '404'],
  ] as const) {
    const port = await openPort(inflightRoutes);
    port.cluster = twoNodes(outcome).cluster;
    const answer = await answerTo(port, 'POST', '/api/inflight/gen-1/stop', { body: '{"reason":"why"}' });
    assert.is(answer.slice(0, 3), status);
    port.close();
  }
});

test.run();
