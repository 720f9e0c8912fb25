import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../../actors/endpoint/endpoint.ts';
import { type ActorEvent, AskError, type Clock, type Cluster, ownerOf } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { declareUntilListed } from '../../../../gateway/catalogue/declare/declare-until-listed.ts';
import type { Outbound } from '../../../../gateway/outbound/outbound.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const PROVIDER = { slug: 'a', name: 'A', baseUrl: 'https://a.example.com/v1' };

/** A declaring node whose board has the endpoints from `listedAtMs` on; its time passes as it waits. */
async function declared({
  listedAtMs = Number.POSITIVE_INFINITY,
  drainsAtMs = Number.POSITIVE_INFINITY,
  models = 1,
  failing = 0,
}) {
  let [asked, peak, failures] = [0, 0, failing];
  const ids: string[] = [];
  const logged: object[] = [];
  let now = 0;
  const clock = {
    after: (ms: number, run: () => void) => {
      now += ms;
      queueMicrotask(run);
      return () => {};
    },
  } as unknown as Clock;
  const cluster = {
    ask: async (to: string, { type }: ActorEvent) => {
      if (type !== 'endpoint.declare') return { changed: true };
      peak = Math.max(peak, ++asked);
      await new Promise(setImmediate);
      asked--;
      if (failures-- > 0) throw new AskError('endpoint', { code: 'lost' });
      ids.push(ownerOf(to));
      return { changed: true };
    },
    board: {
      topic: (name: string) => new Map(name === ENDPOINTS_TOPIC && now >= listedAtMs ? ids.map((id) => [id, {}]) : []),
    },
  } as unknown as Cluster;
  await declareUntilListed({
    ...{ cluster, clock, outbound: {} as Outbound, upstream: config.upstream, keys: new Map() },
    providers: [{ ...PROVIDER, models: { data: Array.from({ length: models }, (_, at) => modelOf(at)) } }],
    log: { warn: () => {}, error: (record) => logged.push(record) },
    givenUp: () => now >= drainsAtMs,
  });
  assert.is(new Set(ids).size, models);
  return { now, logged, ids, peak };
}

function modelOf(at: number): object {
  return at === 0 ? MODEL : { ...MODEL, id: `${MODEL.id}-${at}` };
}

it('a node serves once its declared endpoints are listed, however long a takeover of their owner takes', async () => {
  const { now, logged } = await declared({ listedAtMs: 9_000 });
  assert.is(now, 9_000);
  assert.equal(logged, []);
});

it('an endpoint that is never published delays the node for 15 s and is named in the log', async () => {
  const { now, logged, ids } = await declared({});
  assert.is(now, 15_000);
  assert.equal(logged, [{ endpoints: ids }]);
});

it('a node that drains waits for no endpoint', async () => {
  const { now, logged } = await declared({ drainsAtMs: 1_000 });
  assert.is(now, 1_000);
  assert.equal(logged, []);
});

it('a member that starts declares several endpoints at a time, since it serves none until all are declared', async () => {
  const { peak, ids } = await declared({ listedAtMs: 9_000, models: 40 });
  assert.is(peak, 8);
  assert.is(ids.length, 40);
});

it('after an endpoint that was not reached no further one is asked before the next try', async () => {
  const { now, ids } = await declared({ listedAtMs: 9_000, models: 40, failing: 1 });
  assert.is(now, 9_000);
  assert.ok(ids.length <= 40 + 8, `${ids.length} asked`);
});

test.run();
