import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeRoutes } from '../../../../gateway/operator/api/nodes.ts';
import { overviewRoutes } from '../../../../gateway/operator/api/overview.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port } from '../port.ts';

const it = bounded(test);

let port: Port;
test.before(async () => {
  port = await openPort([...overviewRoutes({ lowDiskBytes: 1_000 }), ...nodeRoutes]);
});
test.after(() => port.close());

async function json(method: string, target: string, body?: object): Promise<{ status: string; body: never }> {
  const text = await answerTo(port, method, target, body === undefined ? {} : { body: JSON.stringify(body) });
  return { status: text.slice(0, 3), body: JSON.parse(text.slice(4)) as never };
}

interface Overview {
  readonly alarms: readonly { readonly severity: string; readonly what: string }[];
  readonly counts: unknown;
  readonly sickEndpoints: unknown;
  readonly queues: unknown;
  readonly takeovers: readonly { readonly n: number; readonly shards: number | null }[];
  readonly nodes: readonly { readonly measured: object | null }[];
}

const QUIET = {
  nodes: [],
  shardCount: 256,
  unowned: 0,
  deadLetters: [],
  quarantined: [],
  outage: null,
  actorCounts: [{ kind: 'key', state: 'active', count: 2 }],
};
const NO_BOARD = { topic: () => new Map() };
const askHosts = async () => [] as object[];

it('the overview names what needs an operator, what to do, and the page that shows it', async () => {
  const node = { gauges: { queued: 2, commitsInFlight: 1, activities: 3 }, restarts: { total: 4, lastHour: 2 } };
  const view = {
    ...QUIET,
    nodes: [
      { ...node, name: 'n1', host: 'h1', state: 'up', live: true, lastEnd: { reason: 'exit 70', at: 7 } },
      {
        name: 'n2',
        host: 'h1',
        state: 'dead',
        live: false,
        why: 'crashed',
        gauges: null,
        restarts: null,
        lastEnd: null,
      },
    ],
    unowned: 12,
    deadLetters: [{ address: 'account:a', id: 'x1', event: 'hold.settle', failure: 'no hold', at: 5 }],
    quarantined: [{ address: 'key:a/b', fault: 'chart 9', node: 'n1' }],
    outage: { since: 3, why: 'refused' },
  };
  const sick = { id: 'ep_1', model: 'sim/fast', provider: { slug: 'alpha' }, health: 'down' };
  const endpoints = new Map<string, object>([
    ['ep_1', sick],
    ['ep_2', { ...sick, id: 'ep_2', health: 'healthy' }],
    ['ep_3', { ...sick, id: 'ep_3', paused: { reason: 'r', since: 1 } }],
  ]);
  const board = { topic: (name: string) => (name === 'endpoints' ? endpoints : new Map()) };
  const measured = { storeFull: true, diskFreeBytes: 999 };
  const hosts = async () => [
    { node: 'n1', answer: measured },
    { node: 'n2', answer: null },
  ];
  port.cluster = clusterOf({ operator: { ps: async () => view, askHosts: hosts }, board });
  const { alarms, counts, sickEndpoints, queues, takeovers, nodes } = (await json('GET', '/api/overview'))
    .body as Overview;
  assert.equal(
    nodes.map((one) => one.measured),
    [measured, null],
  );
  assert.equal(
    alarms.map(({ severity, what }) => `${severity}: ${what}`),
    [
      'critical: The store is out of reach: refused',
      'critical: The disk of the store is full',
      'critical: 12 of 256 shards have no owner',
      'critical: The node n2 is dead: crashed',
      'critical: 1 quarantined actor: key:a/b',
      'critical: 1 dead letter: hold.settle at account:a',
      'warning: The disk of the data folder on h1 has less than 0 MiB free',
      'warning: 1 endpoint down: sim/fast at alpha',
      'warning: The node n1 was started again 2 times in the last hour',
    ],
  );
  assert.equal(alarms[5], {
    name: 'dead-letters',
    subject: null,
    severity: 'critical',
    what: '1 dead letter: hold.settle at account:a',
    since: 5,
    todo: 'Its failure was: no hold. `troupe retry` or `troupe skip` account:a x1.',
    link: '/actors/account%3Aa',
  });
  assert.equal(counts, view.actorCounts);
  assert.equal(sickEndpoints, [{ id: 'ep_1', model: 'sim/fast', provider: 'alpha', health: 'down' }]);
  assert.equal(queues, { queued: 2, commitsInFlight: 1, activities: 3 });
  assert.equal(takeovers, []);
});

it('a quiet cluster has no alarm; deaths and what was taken over are shown, first claims are not', async () => {
  const events = async () => [
    { n: 4, type: 'claimed', from: 'n2', moves: [[7, 2]] },
    { n: 3, type: 'died', from: null, moves: null },
    { n: 2, type: 'claimed', from: null, moves: [[7, 1]] },
    { n: 1, type: 'joined', from: null, moves: null },
  ];
  port.cluster = clusterOf({ operator: { ps: async () => QUIET, events, askHosts }, board: NO_BOARD });
  const { alarms, takeovers } = (await json('GET', '/api/overview')).body as Overview;
  assert.equal(alarms, []);
  assert.equal(
    takeovers.map(({ n, shards }) => [n, shards]),
    [
      [4, 1],
      [3, null],
    ],
  );
});

it('shards name their owner, and a node is drained with a reason and an entry in the audit log', async () => {
  const asked: string[] = [];
  const nodes = [
    { name: 'n1', incarnation: 'i1', live: true, shards: 2 },
    { name: 'n2', incarnation: 'i2', live: true, shards: 1 },
    { name: 'n3', incarnation: 'i3', live: false, shards: 0 },
  ];
  const shards = () => [
    { shard: 0, owner: 'i1', epoch: 4 },
    { shard: 1, owner: null, epoch: -1 },
  ];
  const drain = async (name: string) => asked.push(name);
  const ask = async (_: string, { type }: { type: string }) => asked.push(type);
  port.cluster = clusterOf({ operator: { ps: async () => ({ nodes }), shards, drain }, ask });
  const { body } = await json('GET', '/api/shards');
  const owned = [
    { shard: 0, owner: 'i1', node: 'n1', epoch: 4 },
    { shard: 1, owner: null, node: null, epoch: -1 },
  ];
  assert.equal(body, { shards: owned, count: 2 });
  const dry = await json('POST', '/api/nodes/n1/drain', { reason: 'disk', dryRun: true });
  const would = 'drain n1: its 2 shards move to the others; it ends after its open work';
  assert.equal(dry.body, { would, command: 'troupe drain n1 --reason disk' });
  for (const name of ['n3', 'n4']) {
    assert.is((await json('POST', `/api/nodes/${name}/drain`, { reason: 'disk' })).status, '404');
  }
  assert.equal(asked, []);
  assert.equal((await json('POST', '/api/nodes/n2/drain', { reason: 'disk' })).body, { did: 'began to drain n2' });
  assert.equal(asked, ['audit.record', 'n2']);
});

test.run();
