/** What the operator port says of actors: charts, lists, links, search, and the events of the cluster. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { eventually } from '../../support/eventually.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster);
const token = (await readFile(join(cluster.folder, 'secrets', 'operator-token'), 'utf8')).trim();
const ID = funded.account.slice('account:'.length);

interface Page<Entry> {
  readonly data: readonly Entry[];
  readonly next: string | null;
}

interface Listed {
  readonly address: string;
  readonly state: string;
  readonly since: number;
  readonly node: string;
  readonly label: string | null;
}

async function ask<A>(path: string, query: Readonly<Record<string, string>> = {}, status = 200): Promise<A> {
  const url = `${cluster.nodes[0]?.operatorUrl}${path}?${new URLSearchParams(query)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  assert.is(answer.status, status, url);
  return (await answer.json()) as A;
}

async function whole(query: Readonly<Record<string, string>>): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  let cursor: Readonly<Record<string, string>> = {};
  for (;;) {
    const { data, next } = await ask<Page<Listed>>('/api/actors', { ...query, ...cursor });
    all.push(...data);
    if (next === null) return all;
    cursor = { cursor: next };
  }
}

it('shows the chart of each kind with the kept number of actors in each state (rule N60)', async () => {
  interface Chart {
    readonly kind: string;
    readonly chart: { readonly states: readonly { readonly name: string }[] };
    readonly counts: Readonly<Record<string, number>>;
  }
  const { data } = await ask<Page<Chart>>('/api/charts');
  const account = data.find(({ kind }) => kind === 'account');
  assert.ok(account?.chart.states.some(({ name }) => name === 'open'));
  assert.is(account?.counts.open, (await whole({ kind: 'account', state: 'open' })).length);
});

it('lists actors page by page, by every filter, names before ids (rule N60)', async () => {
  const all = await whole({ limit: '7' });
  assert.equal(
    all.map(({ address }) => address),
    [...new Set(all.map(({ address }) => address))].sort(),
  );
  const mine = await whole({ account: ID });
  assert.ok(mine.every(({ address, node }) => address.includes(ID) && node === 't1'));
  assert.ok(mine.some(({ address }) => address === funded.keyAddress));
  const oldest = await whole({ kind: 'endpoint', order: 'age', limit: '3' });
  const newest = await whole({ kind: 'endpoint', order: 'newest', limit: '200', node: 't1' });
  assert.ok(oldest.length > 3);
  assert.equal([...newest].reverse(), oldest);
  assert.equal(
    oldest.map(({ since }) => since),
    oldest.map(({ since }) => since).sort((a, b) => a - b),
  );
  const refused = { order: 'address', kind: 'key', state: 'active' };
  assert.match(await ask<object>('/api/actors', refused, 400).then(JSON.stringify), /"member":"order"/);
  assert.match(await ask<object>('/api/actors', { node: 't9' }, 400).then(JSON.stringify), /no node is called/);
  await ask('/api/actors', { account: 'Nobody At All' }, 404);
  await ask('/api/actors', { cursor: 'nonsense' }, 400);
});

it('shows one actor with its rows, its mailbox by lane and the actors that it names (rule N61)', async () => {
  interface View {
    readonly since: number;
    readonly node: string;
    readonly incarnation: string;
    readonly mailbox: object;
    readonly rows: Readonly<Record<string, readonly object[]>>;
    readonly uncommitted: number;
    readonly links: readonly { readonly address: string; readonly because: string }[];
  }
  const view = await ask<View>(`/api/actors/${encodeURIComponent(funded.keyAddress)}`);
  assert.equal([view.node, view.mailbox, view.uncommitted], ['t1', { system: [], finish: [], start: [] }, 0]);
  assert.match(view.incarnation, /^[0-9a-f]{24}$/);
  assert.ok(view.since > 0);
  assert.equal(
    view.links.filter(({ address }) => address === funded.account).map(({ because }) => because),
    ['it belongs to this account'],
  );
  assert.not.match(JSON.stringify(view), new RegExp(funded.key));
});

it('finds addresses, ids and whole names, and only what exists (rule N62)', async () => {
  interface Found {
    readonly what: string;
    readonly address: string;
    readonly path: string;
  }
  const search = async (q: string) => (await ask<Page<Found>>('/api/search', { q })).data;
  const account = { what: 'account', address: funded.account, path: `/accounts/${ID}` };
  for (const q of [funded.account, ID, ` ${ID} `]) {
    const [found] = await search(q);
    assert.equal([found?.what, found?.address, found?.path], [account.what, account.address, account.path]);
  }
  const key = funded.keyAddress.slice(funded.keyAddress.indexOf('/') + 1);
  assert.equal(
    (await search(key)).map(({ address }) => address),
    [funded.keyAddress],
  );
  const { label } = (await whole({ account: ID, kind: 'account' }))[0] ?? {};
  assert.ok(label);
  assert.ok((await search(String(label).toUpperCase())).some(({ address }) => address === funded.account));
  assert.equal(await search('acct_nobody'), []);
  assert.equal(await search('account:acct_nobody'), []);
  const reply = await send('/chat/completions', {
    body: { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const { id } = (await reply.json()) as { id: string };
  assert.equal(
    (await search(id)).map(({ path }) => path),
    [`/generations/${id}`],
  );
});

interface Tab {
  readonly facts: readonly { readonly name: string; readonly value: string | number }[];
  readonly tables: readonly {
    readonly title: string;
    readonly columns: readonly { readonly name: string }[];
    readonly rows: readonly (readonly (string | number | null)[])[];
    readonly next?: string | null;
  }[];
}

const tabOf = (address: string, query: Readonly<Record<string, string>> = {}): Promise<Tab> =>
  ask<Tab>(`/api/actors/${encodeURIComponent(address)}/tab`, query);
const factOf = ({ facts }: Tab, name: string) => facts.find((fact) => fact.name === name)?.value;

function cellsOf({ tables }: Tab, title: string, column: string): readonly (string | number | null)[] {
  const table = tables.find((one) => one.title === title);
  const at = table?.columns.findIndex(({ name }) => name === column) ?? -1;
  return table?.rows.map((row) => row[at] ?? null) ?? [];
}

async function made(path: string, body: object): Promise<string> {
  const answer = await send(path, { body });
  const text = await answer.text();
  assert.ok(answer.status < 300, text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

const line = (content: string) => ({ model: 'sim/fast', messages: [{ role: 'user', content }] });
const told = (directive: object) => line(`@sim ${JSON.stringify(directive)}`);

it("a batch's tab has its lines by page and status, while it runs and after its end (rule N61)", async () => {
  const bodies = [line('a'), { model: 'none/such' }, told({ tokens: 300, tps: 100 }), line('d')];
  const requests = bodies.map((body, at) => ({ custom_id: `line ${at}`, body }));
  const id = await made('/batches', { endpoint: '/v1/chat/completions', requests });
  const lines = async (query: Readonly<Record<string, string>> = {}): Promise<Tab> => tabOf(id, query);
  await eventually(async () => {
    assert.equal(cellsOf(await lines({ status: 'running' }), 'Lines', 'Custom id'), ['line 2']);
  });
  const [failed, ...others] = cellsOf(await lines({ status: 'failed' }), 'Lines', 'Failure');
  assert.match(String(failed), /^\w+: /);
  assert.equal(others, []);
  assert.equal(cellsOf(await lines({ limit: '3' }), 'Lines', 'Custom id'), ['line 0', 'line 1', 'line 2']);
  const cursor = (await lines({ limit: '3' })).tables[0]?.next ?? '';
  assert.equal(cellsOf(await lines({ limit: '3', cursor }), 'Lines', 'Custom id'), ['line 3']);
  await ask(`/api/actors/${id}/tab`, { status: 'none' }, 400);

  await eventually(async () => assert.ok(factOf(await lines(), 'Results')));
  const ended = await lines();
  const [first, second, ...rest] = cellsOf(ended, 'Lines', 'Status');
  assert.equal([first, ...rest], ['completed', 'completed', 'completed']);
  // What a line failed with goes soon after the end, once its result is written.
  assert.ok(['failed', 'not sent'].includes(String(second)), String(second));
  assert.ok(cellsOf(ended, 'Lines', 'Cost').filter((cost) => cost !== null).length === 3);
  assert.is((await lines({ limit: '4' })).tables[0]?.next, null);
  const file = String(factOf(ended, 'Results'));
  assert.equal(cellsOf(await tabOf(file), 'Where it is used', 'Actor'), [`batch:${ID}/${id}`]);
});

it("a video's tab has its attempts with node and epoch, and its clip without its bytes (rule N61)", async () => {
  const id = await made('/videos', { model: 'sim/filmstrip', prompt: 'a lake', duration: 1, resolution: '480p' });
  await eventually(async () => assert.equal(cellsOf(await tabOf(id), 'Clips', 'Clip'), [0]));
  const tab = await tabOf(id);
  assert.equal(cellsOf(tab, 'Attempts to render', 'Outcome'), ['completed']);
  assert.equal(cellsOf(tab, 'Attempts to render', 'Node'), ['t1']);
  assert.match(String(cellsOf(tab, 'Attempts to render', 'Endpoint')[0]), /^endpoint:ep_/);
  assert.equal(cellsOf(tab, 'Clips', 'Seconds'), ['1']);
  assert.ok(Number(cellsOf(tab, 'Clips', 'Expires (UTC)')[0]) > Date.now());
  assert.not.match(JSON.stringify(tab), /a lake|blob|sealed/);
  const endpoint = String(cellsOf(tab, 'Attempts to render', 'Endpoint')[0]);
  for (const [from, to] of [
    [id, [funded.account, funded.keyAddress, endpoint]],
    [funded.account, [funded.keyAddress, `video-job:${ID}/${id}`, `audit:${ID}/log`]],
    [endpoint, ['provider:sim-v']],
    ['provider:sim-v', [endpoint]],
  ] as const) {
    const { links } = await ask<{ links: readonly { readonly address: string }[] }>(
      `/api/actors/${encodeURIComponent(from)}`,
    );
    const linked = new Set(links.map(({ address }) => address));
    assert.equal(
      to.filter((address) => !linked.has(address)),
      [],
      `${from} links to all that it talks to`,
    );
  }
});

it("a key's tab has its use of today and what its running requests hold; others have none (rule N61)", async () => {
  const stream = await send('/chat/completions', { body: { ...told({ tokens: 300, tps: 100 }), stream: true } });
  const id = stream.headers.get('x-generation-id') ?? '';
  const tab = await tabOf(funded.keyAddress);
  assert.ok(cellsOf(tab, 'Open holds', 'Generation').includes(id));
  assert.is(factOf(tab, 'Status'), 'active');
  assert.ok(cellsOf(tab, 'Use today (UTC)', 'Model').includes('sim/fast'));
  await stream.text();
  const none = `/api/actors/${encodeURIComponent(`audit:${ID}/log`)}/tab`;
  assert.match(JSON.stringify(await ask(none, {}, 404)), /no_tab|not_found/);
});

it('tells what happened to the nodes and their shards (rule N63)', async () => {
  const { data, next } = await ask<Page<{ type: string; node: string; shards: number | null }>>('/api/events');
  assert.is(next, null);
  const told = data.map(({ type, node, shards }) => [type, node, shards !== null && shards > 0]).reverse();
  assert.equal(told.slice(0, 2), [
    ['joined', 't1', false],
    ['claimed', 't1', true],
  ]);
  const [newest] = (await ask<Page<object>>('/api/events', { limit: '1' })).data;
  assert.equal(newest, data[0]);
});

test.run();
