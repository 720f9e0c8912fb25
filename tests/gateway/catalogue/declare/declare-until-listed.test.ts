import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../../actors/endpoint/endpoint.ts';
import { type ActorEvent, type Clock, type Cluster, ownerOf } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { declareUntilListed } from '../../../../gateway/catalogue/declare/declare-until-listed.ts';
import type { Outbound } from '../../../../gateway/outbound/outbound.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const PROVIDER = { slug: 'a', name: 'A', baseUrl: 'https://a.example.com/v1', models: { data: [MODEL] } };

/** A declaring node whose board has the endpoints from `listedAtMs` on; its time passes as it waits. */
async function declared({ listedAtMs = Number.POSITIVE_INFINITY, drainsAtMs = Number.POSITIVE_INFINITY }) {
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
      if (type === 'endpoint.declare') ids.push(ownerOf(to));
      return { changed: true };
    },
    board: {
      topic: (name: string) => new Map(name === ENDPOINTS_TOPIC && now >= listedAtMs ? ids.map((id) => [id, {}]) : []),
    },
  } as unknown as Cluster;
  await declareUntilListed({
    ...{ cluster, clock, outbound: {} as Outbound, upstream: config.upstream, keys: new Map(), providers: [PROVIDER] },
    log: { warn: () => {}, error: (record) => logged.push(record) },
    givenUp: () => now >= drainsAtMs,
  });
  assert.is(ids.length, 1);
  return { now, logged, ids };
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

test.run();
