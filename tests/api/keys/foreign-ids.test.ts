/**
 * Every route that names an object, asked by another tenant with the right kind of key: its answer is that for an id
 * that never existed, header for header. A route without a row fails. (rule K14)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { announceWebhook, mintSigningSecret } from '../../../actors/terms/webhook.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { apiTable } from '../../support/route-table.ts';
import { signedIn } from '../pages/visitor.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let own: Tenant;
let stranger: Tenant;
let ids: Readonly<Record<string, string>>;

test.before(async () => {
  cluster = await openCluster();
  [own, stranger] = [await tenant(), await tenant()];
  ids = await objectsOf(own);
});
test.after(async () => {
  await own.call('POST', `/batches/${ids['/batches/:id']}/cancel`);
  await own.call('POST', `/videos/${ids['/videos/:id']}/cancel`);
  await cluster.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
interface Tenant {
  readonly account: string;
  /** With the kind of key that the route needs. */
  call(method: string, path: string, body?: object | FormData, headers?: Record<string, string>): Promise<Answer>;
}

const MANAGED = /^\/(?:keys|workspaces|sessions|audit)(?:[/?]|$)/;

async function tenant(): Promise<Tenant> {
  const { account, key: manager } = await signedIn(cluster);
  const { key } = await cluster.issue(`account:${account}`);
  const call: Tenant['call'] = async (method, path, body, more = {}) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${cluster.baseUrls[0]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${MANAGED.test(path) ? manager : key}`,
        ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const { status, headers } = answer;
    const text = await answer.text();
    // A machine that stalls loses its contact with the store for a while.
    if (status !== 503) return { status, headers, text };
    await new Promise((resolve) => setTimeout(resolve, 100));
    return call(method, path, body, more);
  };
  return { account, call };
}

const CHAT = { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] };
const SLOW = { model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"ttft_ms":600000}' }] };
const WORKSPACE_BODIES: Readonly<Record<string, object>> = {
  'PATCH /workspaces/:id': { name: 'stolen' },
  'POST /workspaces/:id/members/add': { user_ids: ['eve'] },
  'POST /workspaces/:id/members/remove': { user_ids: ['ann'] },
  'PUT /workspaces/:id/budgets/:interval': { limit_usd: 1 },
  'PATCH /keys/:hash': { name: 'stolen' },
};

/** One object behind each route that names one, by the path up to its id. */
async function objectsOf({ account, call }: Tenant): Promise<Readonly<Record<string, string>>> {
  const made = async (method: string, path: string, body?: object | FormData): Promise<Record<string, unknown>> => {
    const { status, text } = await call(method, path, body);
    assert.ok(status < 300, `${path}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const first = async (path: string): Promise<Record<string, string>> => {
    for (;;) {
      const [found] = (await made('GET', path)).data as Record<string, string>[];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const form = new FormData();
  form.append('file', new Blob(['mine']), 'mine.txt');
  announce(account);
  const workspace = (await made('POST', '/workspaces', { name: 'Team' })).data as { id: string };
  const requests = [{ custom_id: 'a', body: SLOW }];
  const film = { model: 'sim/flipbook', prompt: 'a lake @sim {"render_ms":600000}', duration: 2 };
  const chat = await call('POST', '/chat/completions', CHAT);
  return {
    '/files/:id': String((await made('POST', '/files', form)).id),
    '/batches/:id': String((await made('POST', '/batches', { endpoint: '/v1/chat/completions', requests })).id),
    '/videos/:id': String((await made('POST', '/videos', film)).id),
    '/workspaces/:id': workspace.id,
    '/keys/:hash': (await first('/keys')).hash as string,
    '/sessions/:id': (await first('/sessions')).id as string,
    '/deposits/:id': (await first('/deposits')).id as string,
    '/webhooks/deliveries/:id': (await first('/webhooks/deliveries')).id as string,
    '/generation': String(chat.headers.get('x-generation-id')),
  };
}

/** As a job does. */
function announce(account: string): void {
  const [{ cluster: node }] = cluster.nodes as [TestCluster['nodes'][number]];
  const told = { account, job: 'vjob_1', type: 'video.generation.completed', at: node.now() } as const;
  const delivery = { url: 'https://hooks.invalid/x', document: '{"id":"vjob_1"}', retentionMs: 60_000 };
  for (const effect of [mintSigningSecret(account), announceWebhook({ ...told, ...delivery })]) {
    if (effect.type === 'send') node.tell(effect.to, effect.event);
  }
}

/** Paths with a parameter that names no object of an account: the catalogue, and the month of a statement. */
const NO_OBJECT = /^\/(?:(?:images\/)?models?\/|(?:provider\/)?statements\/:month)/;
const named = apiTable().filter(({ path }) => path === '/generation' || (/:/.test(path) && !NO_OBJECT.test(path)));
const objectOf = (path: string): string => path.replace(/(\/:\w+).*$/, '$1');

function pathOf(path: string, id: string): string {
  if (path === '/generation') return `/generation?id=${id}`;
  return path.replace(/:\w+/, id).replace(':interval', 'daily');
}

/** Another id of the same shape. */
const unknownOf = (id: string): string => id.replace(/[0-9a-zA-Z]{6}$/, '000000');

/** What a client can tell two refusals apart by, without their own ids. */
function shape({ status, headers, text }: Answer): string {
  const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
  return JSON.stringify([status, names, text]);
}

for (const { method, path } of named) {
  it(`${method} ${path}: an object of another tenant is absent (rule K14)`, async () => {
    const id = ids[objectOf(path)];
    assert.ok(id, 'the route has a row');
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? (WORKSPACE_BODIES[`${method} ${path}`] ?? {}) : undefined;
    const ask = (of: string, headers?: Record<string, string>) =>
      stranger.call(method, pathOf(path, of), body, headers);
    const foreign = await ask(id as string);
    assert.is(foreign.status, 404, foreign.text);
    for (const other of [unknownOf(id as string), 'unknown']) {
      // A session's look-up by a malformed id, as any other, is the same answer.
      assert.is(shape(foreign), shape(await ask(other)), other);
    }
    if (path.endsWith('/content')) {
      assert.is(shape(foreign), shape(await ask(id as string, { range: 'bytes=0-9' })), 'a range');
    }
    // The id is real, and nothing was changed.
    if (method === 'GET' && path === objectOf(path)) {
      assert.is((await own.call('GET', pathOf(path, id as string))).status, 200);
    }
  });
}

it('the cursor of another tenant finds what an unknown one finds (rule K14)', async () => {
  const lists = ['/files', '/batches', '/videos', '/deposits', '/webhooks/deliveries'];
  for (const list of lists) {
    const id = ids[`${list}/:id`] as string;
    const page = (after: string) => stranger.call('GET', `${list}?after=${after}`);
    assert.is(shape(await page(id)), shape(await page(unknownOf(id))), list);
    assert.not.match((await page(id)).text, new RegExp(id), list);
  }
});

it('a file of another tenant is absent in every dialect and in a batch (rule B36)', async () => {
  const file = ids['/files/:id'] as string;
  const parts: Readonly<Record<string, (id: string) => object>> = {
    '/chat/completions': (id) => ({
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }],
    }),
    '/messages': (id) => ({
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: id } }] }],
    }),
    '/responses': (id) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] }),
  };
  for (const [path, bodyOf] of Object.entries(parts)) {
    const ask = (id: string) => stranger.call('POST', path, { model: 'sim/vision', ...bodyOf(id) });
    const foreign = await ask(file);
    assert.is(foreign.status, 404, `${path}: ${foreign.text}`);
    assert.is(shape(foreign), shape(await ask(unknownOf(file))), path);
  }
  const endpoint = '/v1/chat/completions';
  const requests = [file, unknownOf(file)].map((id, at) => ({
    custom_id: `r${at}`,
    body: { model: 'sim/vision', ...parts['/chat/completions']?.(id) },
  }));
  const { id } = JSON.parse((await stranger.call('POST', '/batches', { endpoint, requests })).text) as { id: string };
  for (;;) {
    const { results } = JSON.parse((await stranger.call('GET', `/batches/${id}`)).text) as { results: string | null };
    if (results === null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    const errors = results
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { error: { code: number; message: string } }).error);
    assert.equal([errors[0]?.code, errors[0]], [404, errors[1]]);
    return;
  }
});

it('what a body says of its account, key, price and outcome has no effect (rule K13)', async () => {
  const victim = await tenant();
  const claims = {
    ...{ account: victim.account, account_id: victim.account, user_id: victim.account, key: 'key:x/y', cost: 0 },
    ...{ usage: { cost: 0 }, status: 'settled', generation: 'gen-1', is_byok: true, kind: 'management' },
  };
  const before = await creditsOf(stranger);
  const answer = await stranger.call('POST', '/chat/completions', { ...CHAT, ...claims });
  assert.is(answer.status, 200, answer.text);
  const { usage } = JSON.parse(answer.text) as { usage: { cost: number } };
  assert.ok(usage.cost > 0);
  assert.is((await creditsOf(stranger)).toFixed(12), (before + usage.cost).toFixed(12));
  assert.is(await creditsOf(victim), 0);
});

async function creditsOf({ call }: Tenant): Promise<number> {
  return (JSON.parse((await call('GET', '/credits')).text) as { data: { total_usage: number } }).data.total_usage;
}

it('nothing of the owner was changed by all of it', async () => {
  for (const [path, id] of Object.entries(ids)) {
    if (path === '/webhooks/deliveries/:id' || path === '/sessions/:id') continue;
    const { status, text } = await own.call('GET', pathOf(path, id));
    assert.is(status, 200, `${path}: ${text}`);
    assert.not.match(text, /stolen|"status":"cancell/, path);
  }
});

test.run();
