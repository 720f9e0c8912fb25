import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';

const it = bounded(test);
const MINUTE_MS = 60_000;
/** Longest duration of one of these tests; it must not cross a minute boundary. */
const ROOM_MS = 8_000;

let cluster: TestCluster;

test.before(async () => {
  cluster = await startCluster({ nodes: 3 });
});
test.after(() => cluster.close());

async function withinOneMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < ROOM_MS) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

/** Statuses of this many requests at once, spread over all nodes. */
function burst(count: number, path: string, init: RequestInit): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const answer = await fetch(`${cluster.baseUrls[i % 3]}${path}`, init);
      await answer.text();
      return answer.status;
    }),
  );
}

function countStatuses(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function withKey(key: string, body?: object): RequestInit {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
}

it('admits exactly 120 requests of one key per minute, on any route and any node', async () => {
  const { key } = await cluster.fund('10');
  await withinOneMinute();
  const good = { model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"tokens":1}' }] };
  const [served, broken, reads] = await Promise.all([
    burst(60, '/chat/completions', withKey(key, good)),
    burst(60, '/chat/completions', withKey(key, { model: 'sim/fast' })),
    burst(60, '/credits', withKey(key)),
  ]);
  const counts = countStatuses([...served, ...broken, ...reads]);
  assert.is(counts[429], 60, JSON.stringify(counts));
  assert.is((counts[200] ?? 0) + (counts[400] ?? 0), 120, JSON.stringify(counts));
});

it('answers an invalid key 401 for 120 requests over all nodes, then 429 with its headers', async () => {
  const bad = `sk-gw-v1-${'e'.repeat(64)}`;
  await withinOneMinute();
  assert.equal(countStatuses(await burst(150, '/key', withKey(bad))), { 401: 120, 429: 30 });
  const answer = await fetch(`${cluster.baseUrls[1]}/key`, withKey(bad));
  assert.is(answer.status, 429);
  assert.is(answer.headers.get('x-ratelimit-limit'), '120');
  assert.is(answer.headers.get('x-ratelimit-remaining'), '0');
  assert.ok(Number(answer.headers.get('retry-after')) >= 1 && Number(answer.headers.get('retry-after')) <= 60);
  assert.is(Number(answer.headers.get('x-ratelimit-reset')) % 60, 0);
});

it('counts requests without a credential by their address', async () => {
  await withinOneMinute();
  assert.equal(countStatuses(await burst(150, '/key', {})), { 401: 120, 429: 30 });
});

it('counts a key on a route that requires none', async () => {
  const { key } = await cluster.fund('1', { perMinute: 20 });
  await withinOneMinute();
  assert.equal(countStatuses(await burst(30, '/models/count', withKey(key))), { 200: 20, 429: 10 });
});

test.run();
