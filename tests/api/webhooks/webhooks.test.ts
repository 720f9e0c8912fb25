/** The routes of webhooks over HTTP, and deliveries by a real node to a real receiver. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { announceWebhook, mintSigningSecret } from '../../../actors/terms/webhook.ts';
import { findSigning } from '../../../actors/webhook/signing.ts';
import { bounded } from '../../support/bounded.ts';
import { startCluster } from '../../support/cluster/start-cluster.ts';
import { verifyInNode } from '../../support/webhook/documented-verifier.ts';

const it = bounded(test, 60_000);

const received: { readonly body: string; readonly header: string }[] = [];
let status = 200;
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    received.push({ body, header: String(request.headers['gateway-signature']) });
    response.writeHead(status).end('the answer of the receiver');
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
// The second attempt follows the first at once.
const webhooks = { allowedTargets: [origin], backOffMsMin: 1, backOffMsMax: 1 };
const cluster = await startCluster({ nodes: 1, simulators: ['sim-v'], webhooks });
test.after(async () => {
  await cluster.close();
  receiver.close();
});

interface Secret {
  readonly secret: string;
  readonly created_at: number;
  readonly previous_expires_at: number | null;
}
interface Delivery {
  readonly id: string;
  readonly job_id: string;
  readonly status: string;
  readonly attempts: readonly { readonly at: number; readonly outcome: string | null }[];
  readonly next_attempt_at: number | null;
}
interface Page {
  readonly data: readonly Delivery[];
  readonly has_more: boolean;
  readonly last_id: string | null;
}

async function call<T>(key: string, path: string, { method = 'GET', expect = 200 } = {}): Promise<T> {
  const init = { method, headers: { authorization: `Bearer ${key}` } };
  let answer = await fetch(`${cluster.baseUrls[0]}${path}`, init);
  // On a machine that stalls the node loses its contact with the store for a while; a read can be repeated.
  while (answer.status === 503 && method === 'GET') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer = await fetch(`${cluster.baseUrls[0]}${path}`, init);
  }
  if (expect !== 0) assert.is(answer.status, expect, await answer.clone().text());
  return (await answer.json()) as T;
}

/** As a job does. */
function announce(account: string, job: string): void {
  const node = cluster.nodes[0]?.cluster;
  if (node === undefined) throw new Error('no node');
  const owner = account.slice('account:'.length);
  const told = {
    account: owner,
    job,
    type: 'video.generation.completed',
    at: node.now(),
    url: `${origin}/hook`,
  } as const;
  const announcement = announceWebhook({ ...told, document: JSON.stringify({ id: job }), retentionMs: 60_000 });
  for (const effect of [mintSigningSecret(owner), announcement]) {
    if (effect.type === 'send') node.tell(effect.to, effect.event);
  }
}

async function ended(key: string, count: number): Promise<Page> {
  for (;;) {
    const page = await call<Page>(key, '/webhooks/deliveries');
    if (page.data.filter(({ status }) => status === 'delivered' || status === 'failed').length >= count) return page;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('there is no secret before the first job with a callback; then there is one, and it signs (rule V42)', async () => {
  const { account, key } = await cluster.fund();
  const missing = await call<{ error: { message: string } }>(key, '/webhooks/secret', { expect: 404 });
  assert.match(missing.error.message, /callback_url/);
  announce(account, 'vjob_first');
  const page = await ended(key, 1);
  const { secret, previous_expires_at } = await call<Secret>(key, '/webhooks/secret');
  assert.is(previous_expires_at, null);
  const [post] = received.filter(({ body }) => body.includes('vjob_first'));
  const now = Math.floor(Date.now() / 1_000);
  const event = verifyInNode({ body: post?.body ?? '', header: post?.header ?? '', secret, now });
  assert.equal(event, {
    ...{ id: page.data[0]?.id, type: 'video.generation.completed', data: { id: 'vjob_first' } },
    created: (event as { created: number }).created,
  });
  const shown = JSON.stringify(page);
  assert.not.match(shown, /the answer of the receiver|whsec_/);
  assert.equal(
    page.data[0]?.attempts.map(({ outcome }) => outcome),
    ['2xx'],
  );
});

it("a delivery that waits can be hurried; one that has ended, or is another account's, can not", async () => {
  const { account, key } = await cluster.fund();
  const stranger = await cluster.fund();
  const path = (id: string): string => `/webhooks/deliveries/${id}/retry`;
  const post = (id: string, by: string, expect: number): Promise<Delivery> =>
    call<Delivery>(by, path(id), { method: 'POST', expect });
  status = 500;
  announce(account, 'vjob_hurried');
  let delivery: Delivery | undefined;
  while ((delivery?.attempts.filter(({ outcome }) => outcome !== null).length ?? 0) < 2) {
    [delivery] = (await call<Page>(key, '/webhooks/deliveries')).data;
  }
  status = 200;
  const id = delivery?.id ?? '';
  await post(id, stranger.key, 404);
  await post('evt_1', key, 404);
  const hurried = await call<Delivery | { readonly error: unknown }>(key, path(id), { method: 'POST', expect: 0 });
  assert.ok('error' in hurried || hurried.id === id);
  const page = await ended(key, 1);
  assert.equal([page.data[0]?.id, page.data[0]?.status], [id, 'delivered']);
  await post(id, key, 409);
});

it('after a rotation both secrets sign (rule V42)', async () => {
  const { account, key } = await cluster.fund();
  const first = await call<Secret>(key, '/webhooks/secret/rotate', { method: 'POST' });
  assert.is(first.previous_expires_at, null);
  const second = await call<Secret>(key, '/webhooks/secret/rotate', { method: 'POST' });
  assert.is.not(second.secret, first.secret);
  assert.ok((second.previous_expires_at ?? 0) - second.created_at >= 24 * 3_600 - 1);
  assert.equal(await call<Secret>(key, '/webhooks/secret'), second);
  announce(account, 'vjob_rotated');
  await ended(key, 1);
  const [post] = received.filter(({ body }) => body.includes('vjob_rotated'));
  const now = Math.floor(Date.now() / 1_000);
  for (const { secret } of [first, second]) {
    verifyInNode({ body: post?.body ?? '', header: post?.header ?? '', secret, now });
  }
  assert.is(post?.header.match(/v1=/g)?.length, 2);
});

it('deliveries are listed newest first, in pages, and only for their own account (rule V43)', async () => {
  const { account, key } = await cluster.fund();
  for (let nth = 0; nth < 5; nth++) {
    announce(account, `vjob_page_${nth}`);
    await ended(key, nth + 1);
  }
  const seen: string[] = [];
  let after = '';
  for (let has_more = true; has_more; ) {
    const page: Page = await call(key, `/webhooks/deliveries?limit=2${after}`);
    seen.push(...page.data.map(({ job_id }) => job_id));
    after = `&after=${page.last_id}`;
    ({ has_more } = page);
  }
  assert.equal(
    seen,
    [4, 3, 2, 1, 0].map((nth) => `vjob_page_${nth}`),
  );
  const stranger = await cluster.fund();
  assert.equal((await call<Page>(stranger.key, '/webhooks/deliveries')).data, []);
  await call(stranger.key, `/webhooks/deliveries?limit=2${after}`, { expect: 404 });
  await call(key, '/webhooks/deliveries?after=vjob_1', { expect: 400 });
  await call(key, '/webhooks/deliveries?limit=101', { expect: 400 });
});

it('a receiver that never accepts is posted to eight times (rule V39)', async () => {
  const { account, key } = await cluster.fund();
  status = 302;
  announce(account, 'vjob_refused');
  const page = await ended(key, 1);
  status = 200;
  assert.is(page.data[0]?.status, 'failed');
  assert.equal(
    page.data[0]?.attempts.map(({ outcome }) => outcome),
    Array(8).fill('3xx'),
  );
  assert.is(page.data[0]?.next_attempt_at, null);
  assert.is(received.filter(({ body }) => body.includes('vjob_refused')).length, 8);
});

it('a completed video job posts its document, as it is then, to its callback_url', async () => {
  const { key } = await cluster.fund('10');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const prompt = 'A fox. @sim {"render_ms": 10}';
  const asked = { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p', callback_url: `${origin}/video` };
  const post = (body: object) =>
    fetch(`${cluster.baseUrls[0]}/videos`, { method: 'POST', headers, body: JSON.stringify(body) });
  const refused = await post({ ...asked, callback_url: 'https://127.0.0.1/hook' });
  assert.is(refused.status, 400);
  assert.match(await refused.text(), /callback_url must name a public host/);
  const made = await post(asked);
  assert.is(made.status, 202, await made.clone().text());
  const { id } = (await made.json()) as { id: string };
  // Minted with the submission, so that the receiver can know it before the first webhook.
  const { secret } = await call<Secret>(key, '/webhooks/secret');
  const page = await ended(key, 1);
  assert.is(page.data[0]?.job_id, id);
  const hook = received.filter(({ body }) => body.includes(id));
  assert.is(hook.length, 1);
  const { body = '', header = '' } = hook[0] ?? {};
  const event = verifyInNode({ body, header, secret, now: Math.floor(Date.now() / 1_000) }) as { data: object };
  assert.equal(event.data, await call(key, `/videos/${id}`));
  assert.is((event.data as { status: string }).status, 'completed');
});

it('the secret lies in no row (rule V42)', async () => {
  const { key, account } = await cluster.fund();
  const { secret } = await call<Secret>(key, '/webhooks/secret/rotate', { method: 'POST' });
  const node = cluster.nodes[0]?.cluster;
  assert.ok(node);
  const row = await findSigning(node as never, account.slice('account:'.length));
  const inspection = await node?.operator.inspect(`signing:${account.slice('account:'.length)}`);
  const stored = JSON.stringify([row, inspection]);
  assert.ok(!stored.includes(secret) && !stored.includes(secret.slice('whsec_'.length)));
});

test.run();
