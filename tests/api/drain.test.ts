import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { frames } from '../support/stream/frames.ts';
import { openApi } from './client.ts';

const it = bounded(test);

const { cluster } = await openApi(test, () =>
  startCluster({ nodes: 2, rates: { keyPerMinute: 100_000 }, edge: { drainGraceMs: 1_000 } }),
);
let headers: Record<string, string>;

test.before(async () => {
  const { key } = await cluster.fund('100');
  headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
});

function ask(base: string, directive: object, stream = false): Promise<Response> {
  const messages = [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }];
  const body = JSON.stringify({ model: 'sim/fast', messages, stream });
  return fetch(`${base}/chat/completions`, { method: 'POST', headers, body });
}

it('drains one of two nodes: no call fails, its open stream is charged, the other node keeps serving (rule E50)', async () => {
  const [leaving, staying] = cluster.baseUrls as [string, string];
  const long = await ask(leaving, { tokens: 2_000, tps: 50 }, true);
  const id = long.headers.get('x-generation-id');
  const reading = long.text();

  let draining = true;
  const statuses: number[] = [];
  const load = async (): Promise<void> => {
    while (draining) statuses.push((await ask(staying, { tokens: 2 })).status);
  };
  const loads = Promise.all([load(), load()]);
  await cluster.nodes[0]?.drain();
  draining = false;
  await loads;

  assert.ok(statuses.length > 0);
  assert.equal([...new Set(statuses)], [200]);
  const text = await reading;
  assert.match(text, /"code":503/);
  assert.match(text, /data: \[DONE\]\n\n$/);
  const answer = await fetch(`${staying}/generation?id=${id}`, { headers });
  const { data } = (await answer.json()) as { data: { status: string; usage: number } };
  assert.is(data.status, 'settled');
  assert.ok(data.usage > 0);
});

it('drains the last node: open streams end in the in-band 503, and the node exits in order (rule E50)', async () => {
  const last = cluster.baseUrls[1] as string;
  const answer = await ask(last, { tokens: 2_000, tps: 50 }, true);
  const reading = answer.text();
  await cluster.nodes[1]?.drain();
  const { chunks } = frames(await reading);
  const error = chunks.at(-1)?.error as { code: number };
  assert.is(error.code, 503);
  assert.is(await fetch(`${last}/`).catch(() => 'refused'), 'refused');
});

test.run();
