import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { requestFrom } from '../support/request-from.ts';
import { openApi } from './client.ts';

/** A run may wait for a fresh minute, and once more after it crossed a boundary. */
const it = bounded(test, 240_000);
const MINUTE_MS = 60_000;
/** A run that begins with less of its minute left waits for the next one. */
const ROOM_MS = 8_000;
const PROXY = '127.0.0.9';

const { cluster } = await openApi(test, () => startCluster({ nodes: 3, edge: { trustedProxies: [`${PROXY}/32`] } }));

/** The outcome of a run that lies in one minute of the windows. A run across their boundary is repeated in a fresh one. */
async function inOneMinute<T>(run: () => Promise<T>): Promise<T> {
  const minute = (): number => Math.floor(Date.now() / MINUTE_MS);
  const leftMs = (): number => MINUTE_MS - (Date.now() % MINUTE_MS);
  for (let roomMs = ROOM_MS; ; roomMs = MINUTE_MS - 100) {
    if (leftMs() < roomMs) await new Promise((resolve) => setTimeout(resolve, leftMs() + 50));
    const began = minute();
    const outcome = await run();
    if (minute() === began) return outcome;
  }
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

it('admits exactly 120 requests of one key per minute, on any route and any node (rule E13)', async () => {
  const good = { model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"tokens":1}' }] };
  const statuses = await inOneMinute(async () => {
    const { key } = await cluster.fund('10');
    return Promise.all([
      burst(60, '/chat/completions', withKey(key, good)),
      burst(60, '/chat/completions', withKey(key, { model: 'sim/fast' })),
      burst(60, '/credits', withKey(key)),
    ]);
  });
  const counts = countStatuses(statuses.flat());
  assert.is(counts[429], 60, JSON.stringify(counts));
  assert.is((counts[200] ?? 0) + (counts[400] ?? 0), 120, JSON.stringify(counts));
});

it('answers an invalid key 401 for 120 requests over all nodes, then 429 with its headers (rule E17)', async () => {
  const bad = `sk-gw-v1-${'e'.repeat(64)}`;
  const [statuses, answer] = await inOneMinute(
    async (): Promise<[number[], Response]> => [
      await burst(150, '/key', withKey(bad)),
      await fetch(`${cluster.baseUrls[1]}/key`, withKey(bad)),
    ],
  );
  assert.equal(countStatuses(statuses), { 401: 120, 429: 30 });
  assert.is(answer.status, 429);
  assert.is(answer.headers.get('x-ratelimit-limit'), '120');
  assert.is(answer.headers.get('x-ratelimit-remaining'), '0');
  assert.ok(Number(answer.headers.get('retry-after')) >= 1 && Number(answer.headers.get('retry-after')) <= 60);
  assert.is(Number(answer.headers.get('x-ratelimit-reset')) % 60, 0);
});

it('counts requests without a credential by their address, on any route (rule E16)', async () => {
  for (const [from, path, status] of [
    ['127.0.0.2', '/key', 401],
    ['127.0.0.3', '/models/count', 200],
    ['127.0.0.4', '/nothing', 404],
  ] as const) {
    const statuses = await inOneMinute(async () => {
      const sent = Array.from({ length: 150 }, (_, i) =>
        requestFrom(cluster.baseUrls[i % 3] as string, path, { from }),
      );
      return (await Promise.all(sent)).map((answer) => answer.status);
    });
    assert.equal(countStatuses(statuses), { [status]: 120, 429: 30 }, path);
  }
});

it('counts a client behind a trusted proxy by the address that the proxy forwards, and trusts nobody else (rule E19)', async () => {
  const ask = (count: number, from: string, client: (at: number) => string): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const headers = { 'x-forwarded-for': client(i) };
        return (await requestFrom(cluster.baseUrls[i % 3] as string, '/key', { from, headers })).status;
      }),
    );
  const counts = await inOneMinute(async () => {
    const one = await ask(130, PROXY, (at) => `198.51.100.${at % 200}, 203.0.113.1`);
    const other = await ask(10, PROXY, () => '203.0.113.2');
    const stranger = await ask(130, '127.0.0.8', (at) => `203.0.114.${at}`);
    return [one, other, stranger].map(countStatuses);
  });
  assert.equal(counts, [{ 401: 120, 429: 10 }, { 401: 10 }, { 401: 120, 429: 10 }]);
});

it('counts a key on a route that requires none (rule E18)', async () => {
  const statuses = await inOneMinute(async () => {
    const { key } = await cluster.fund('1', { perMinute: 20 });
    return burst(30, '/models/count', withKey(key));
  });
  assert.equal(countStatuses(statuses), { 200: 20, 429: 10 });
});

test.run();
