import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generationCollection } from '../../../actors/account/generation.ts';
import { CLUSTER_LOG_ADDRESS, clusterLogKind } from '../../../actors/cluster-log/cluster-log.ts';
import type { ClusterEvent, Collection, Resumption } from '../../../actors/runtime/index.ts';
import { alarmRoutes } from '../../../gateway/operator/api/alarms.ts';
import { nodeRoutes } from '../../../gateway/operator/api/nodes.ts';
import { bounded } from '../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port } from './port.ts';
import { StoredRows } from './stored-rows.ts';

const it = bounded(test);
const AT = 1_000_000;

const event = (n: number, at: number, more: Partial<ClusterEvent>): ClusterEvent => ({
  n,
  at: AT + at,
  beganAt: AT + at,
  type: 'joined',
  node: 'n1',
  incarnation: 'i1',
  moves: null,
  from: null,
  fromIncarnation: null,
  tookMs: null,
  why: null,
  lastBeatAt: null,
  suspectedAt: null,
  ...more,
});

const DEATH = { node: 'n2', incarnation: 'i2', why: 'its port refuses', lastBeatAt: AT - 300, suspectedAt: AT - 20 };
const CLAIM = { from: 'n2', fromIncarnation: 'i2' };
const EVENTS: readonly ClusterEvent[] = [
  event(4, 0, { type: 'died', ...DEATH }),
  event(5, 40, {
    type: 'claimed',
    ...CLAIM,
    beganAt: AT + 30,
    moves: [
      [7, 3],
      [9, 4],
    ],
  }),
  event(6, 45, { type: 'claimed', from: 'n9', fromIncarnation: 'i9', moves: [[1, 1]] }),
  event(7, 50, { type: 'joined', node: 'n2', incarnation: 'i3' }),
];

const STEP = { event: 'line.attempt', from: 'open', to: 'open', epoch: 3 };
const RESUMED: Resumption = {
  incarnation: 'i1',
  fromIncarnation: 'i2',
  node: 'n1',
  shards: 2,
  firstCommitAt: AT + 60,
  loaded: 9,
  kinds: [
    { kind: 'batch', actors: 1, steps: [{ ...STEP, address: 'batch:a/b', version: 8, at: AT + 60 }] },
    { kind: 'cluster-log', actors: 1, steps: [{ ...STEP, address: CLUSTER_LOG_ADDRESS, version: 1, at: AT + 70 }] },
  ],
};

const GENERATION = { status: 'released', key: 'key:a/k', model: 'sim/fast', streamed: true, settlement: null };
const generation = (id: string, more: object) => ({
  ...{ ...GENERATION, generation: id, gateway: 'i2', createdAt: AT - 500, endedAt: AT + 80, sessionId: null },
  ...more,
});

/** Only what every node reads from the store: so it is the same after all of them were started again. */
async function storedPort(): Promise<Port> {
  const rows = new StoredRows();
  const { alarm, resumption } = clusterLogKind.collections as Readonly<Record<string, Collection>>;
  rows.put('resumption', resumption as Collection, CLUSTER_LOG_ADDRESS, '0', RESUMED);
  const began = { name: 'node-dead', severity: 'critical', what: 'dead', todo: '', link: null };
  for (const [nth, more] of [
    { subject: 'n1', beganAt: 1, endedAt: 5 },
    { subject: 'n2', beganAt: 2, endedAt: null },
    { subject: null, name: 'dead-letters', beganAt: 3, endedAt: null, severity: 'warning' },
  ].entries()) {
    rows.put('alarm', alarm as Collection, CLUSTER_LOG_ADDRESS, String(nth), { ...began, ...more });
  }
  for (const row of [
    generation('gen-1', {}),
    generation('gen-2', { gateway: 'i1' }),
    generation('gen-3', { endedAt: AT - 400 }),
  ]) {
    rows.put('generation', generationCollection(null), 'account:a', row.generation, row);
  }
  const events = async ({ after = Number.POSITIVE_INFINITY, limit = 1 }) =>
    EVENTS.filter(({ n }) => n < after)
      .reverse()
      .slice(0, limit);
  const port = await openPort([...nodeRoutes, ...alarmRoutes]);
  port.cluster = clusterOf({ rows, operator: { events } });
  return port;
}

let port: Port;
test.before(async () => {
  port = await storedPort();
});
test.after(() => port.close());

async function json(path: string) {
  const answer = await answerTo(port, 'GET', path);
  assert.is(answer.slice(0, 3), '200', answer);
  return JSON.parse(answer.slice(4));
}

it('a takeover is told from the last heartbeat to the work that went on, from stored events alone', async () => {
  const { moments, shards, actors, ...rest } = await json('/api/takeovers/4');
  assert.equal(rest, { n: 4, node: 'n2', incarnation: 'i2', at: AT, why: 'its port refuses' });
  assert.equal(
    moments.map((one: { at: number; phase: string; node: string; what: string; actor: string | null }) => [
      one.at - AT,
      one.phase,
      one.node,
      one.what,
      one.actor,
    ]),
    [
      [-300, 'beat', 'n2', 'last heartbeat', null],
      [-20, 'suspected', 'n2', 'suspected: its link ended', null],
      [0, 'died', 'n2', 'declared dead: its port refuses', null],
      [30, 'claimed', 'n1', 'claimed 2 shards under epochs 3 to 4', null],
      [60, 'committed', 'n1', 'first commit; 9 actors loaded by the last report', null],
      [60, 'resumed', 'n1', 'line.attempt, epoch 3', 'batch:a/b'],
      [80, 'ended', 'n2', 'stream gen-1 of sim/fast ended with its node, nothing is charged', 'key:a/k'],
    ],
  );
  assert.equal(shards, [
    { shard: 7, epoch: 3, node: 'n1', at: AT + 30 },
    { shard: 9, epoch: 4, node: 'n1', at: AT + 40 },
  ]);
  assert.equal(actors, [{ node: 'n1', kind: 'batch', actors: 1 }]);
});

it('only a death has a takeover', async () => {
  for (const n of ['5', '3', '0', 'x', '99']) {
    assert.is((await answerTo(port, 'GET', `/api/takeovers/${n}`)).slice(0, 3), '404', n);
  }
});

it('alarms are listed newest first, page by page, by state, severity, name and subject', async () => {
  const names = async (query: string) => {
    const { data, next } = await json(`/api/alarms?${query}`);
    return [data.map(({ name, subject }: { name: string; subject: string | null }) => `${name} ${subject}`), next];
  };
  const [first, next] = await names('limit=2');
  assert.equal(first, ['dead-letters null', 'node-dead n2']);
  assert.equal(await names(`limit=2&cursor=${next}`), [['node-dead n1'], null]);
  for (const [query, found] of [
    ['state=ended', ['node-dead n1']],
    ['state=open&name=node-dead', ['node-dead n2']],
    ['severity=warning', ['dead-letters null']],
    ['subject=n1', ['node-dead n1']],
  ] as const) {
    assert.equal((await names(query))[0], found, query);
  }
});

test.run();
