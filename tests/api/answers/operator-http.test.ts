import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster);
const token = (await readFile(join(cluster.folder, 'secrets', 'operator-token'), 'utf8')).trim();

function ask(path: string, bearer: string | null = token): Promise<Response> {
  const headers = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  return fetch(`${cluster.nodes[0]?.operatorUrl}${path}`, { headers });
}

it('reports health and readiness without a token', async () => {
  assert.equal(await (await ask('/health', null)).json(), { status: 'ok' });
  assert.equal(await (await ask('/ready', null)).json(), { status: 'ready' });
});

it('shows nothing else without its own token (rule E32)', async () => {
  for (const path of ['/metrics', '/api/nodes', '/api/actors/account:a', '/api/why/account:a', '/nothing']) {
    for (const bearer of [null, 'nonsense', funded.key]) assert.is((await ask(path, bearer)).status, 401, path);
  }
  assert.is((await ask('/nothing')).status, 404);
});

it('lists the nodes and the actors by kind', async () => {
  const view = (await (await ask('/api/overview')).json()) as {
    nodes: { name: string; live: boolean }[];
    counts: unknown[];
  };
  assert.equal(
    view.nodes.map(({ name, live }) => [name, live]),
    [['t1', true]],
  );
  assert.ok(view.counts.length > 0);
});

it('explains one actor, and hides the digest of its key', async () => {
  const why = (await (await ask(`/api/why/${encodeURIComponent(funded.keyAddress)}`)).json()) as { why: string[] };
  assert.match(why.why.join('\n'), /active/);
  const text = await (await ask(`/api/actors/${encodeURIComponent(funded.keyAddress)}`)).text();
  assert.match(text, /"digest":"redacted"/);
  assert.is((await ask('/api/actors/account:nobody')).status, 404);
  assert.is((await ask('/api/actors/nobody')).status, 400);
});

it('renders its metrics in the text format', async () => {
  await (await send('/models', { key: null })).text();
  const text = await (await ask('/metrics')).text();
  assert.match(text, /\ntroupe_ready 1\n/);
  assert.match(text, /\ntroupe_store_full 0\n/);
  assert.match(text, /\ntroupe_events_unhandled_total 0\n/);
  assert.match(text, /\ntroupe_dead_letters_total 0\n/);
  assert.match(text, /\ntroupe_answers_total\{status="200"\} [1-9]\d*\n/);
  for (const line of text.split('\n'))
    assert.match(line, /^(#.*|[a-z0-9_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-0-9.e+]+|)$/);
});

it('stays off the public port (rule E32)', async () => {
  const root = (cluster.baseUrls[0] as string).replace('/api/v1', '');
  for (const path of ['/metrics', '/api/nodes', '/debug', '/.env'])
    assert.is((await fetch(`${root}${path}`)).status, 404);
});

test.run();
