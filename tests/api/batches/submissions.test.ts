import { Compile } from 'typebox/compile';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchListSchema, batchSchema } from '../../../gateway/api/batches/batch-schema.ts';
import { bounded } from '../../support/bounded.ts';
import { apiTable } from '../../support/route-table.ts';
import { openApi, refusal } from '../client.ts';
import { type Batch, CHAT, type Client, chat, clientOf, submission } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
const MIB = 1024 * 1024;
const published = { batch: Compile(batchSchema), list: Compile(batchListSchema) };
/** Runs until it is cancelled. */
const slow = chat({ ttft_ms: 600_000 });

const { cluster, funded, send } = await openApi(test, openCluster);
const client = clientOf(cluster, funded.key);

const fresh = async (): Promise<Client> => clientOf(cluster, (await cluster.fund('10')).key);

it('a submission is answered 202 with the whole object, and every node shows it (rule B6)', async () => {
  const mine = await fresh();
  const answer = await mine.submit(submission([slow, slow], { model: 'sim/fast', metadata: { any: 'thing' } }));
  const { id, created_at: createdAt, expires_at: expiresAt, ...rest } = answer as Batch & { expires_at: number };
  assert.match(id, /^batch_[0-9a-f]{32}$/);
  assert.is(expiresAt, createdAt + 86_400);
  assert.equal(rest, {
    ...{ object: 'batch', endpoint: CHAT, model: 'sim/fast', completion_window: '24h', status: 'validating' },
    ...{ finalized_at: null, request_counts: { total: 2, completed: 0, failed: 0 } },
    ...{ results_file_id: null, output_file_id: null, error: null, results: null },
  });
  assert.ok(published.batch.Check(answer));
  for (const node of [0, 1, 2]) {
    const shown = await mine.show(id, { node });
    assert.ok(published.batch.Check(shown), JSON.stringify(shown));
    assert.is(shown.created_at, createdAt);
  }
  await mine.cancel(id);
});

it('an envelope with an error is refused whole with a 400 that names the member, and nothing is stored (rule B1)', async () => {
  const mine = await fresh();
  const one = { custom_id: 'a', body: chat() };
  const cases: readonly (readonly [string | object, RegExp])[] = [
    ['{"endpoint":', /not valid JSON/],
    ['[]', /must be a JSON object/],
    ['{"endpoint":"/v1/chat/completions","endpoint":1}', /written twice/],
    [{ requests: [one] }, /^endpoint is required/],
    [{ endpoint: '/v1/completions', requests: [one] }, /^endpoint must be one of/],
    [{ endpoint: CHAT }, /^requests is required/],
    [{ endpoint: CHAT, requests: [] }, /^requests must have at least 1 item/],
    [{ endpoint: CHAT, requests: [one, one] }, /^requests\[1\]\.custom_id repeats "a"/],
    [{ endpoint: CHAT, requests: [one], completion_window: '7d' }, /^completion_window must be/],
    [{ endpoint: CHAT, requests: [one], provider: { zdr: true } }, /^provider\.zdr is not supported for a batch/],
  ];
  for (const [body, message] of cases) {
    const refused = await refusal(await mine.post(body));
    assert.equal([refused.status, refused.type], [400, 'invalid_request']);
    assert.match(refused.message, message);
  }
  const idempotent = await refusal(await mine.post(submission([slow]), { headers: { 'idempotency-key': 'ü ' } }));
  assert.match(idempotent.message, /^Idempotency-Key must/);
  assert.equal((await mine.json(mine.send('/batches'))) as object, {
    ...{ object: 'list', data: [], first_id: null, last_id: null, has_more: false },
  });
});

it('more than 32 MiB is 413: before the bytes are read where they are announced, while they are read otherwise (rule B2)', async () => {
  const piece = Buffer.alloc(MIB, ' ');
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      if (sent > 200) controller.close();
      else controller.enqueue(piece);
    },
  });
  const unannounced = await client
    .post(endless, { headers: { 'content-type': 'application/json' } })
    .then(refusal)
    .catch((error: unknown) => error);
  assert.equal((unannounced as { status: number }).status, 413, String(unannounced));
  assert.ok(sent < 100, 'the upload is stopped soon after the bound');
  const { request } = await import('node:http');
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      ...{ authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' },
      'content-length': 32 * MIB + 1,
    };
    // No byte of the body is ever sent.
    const sending = request(`${cluster.baseUrls[0]}/batches`, { method: 'POST', headers }, (answer) => {
      resolve(answer.statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
  assert.is(status, 413);
});

it('the eleventh active batch is 429 with its limit and the active ones, until one ends (rule B7)', async () => {
  const mine = await fresh();
  const answers = await Promise.all(Array.from({ length: 12 }, (_, node) => mine.post(submission([slow]), { node })));
  const accepted = answers.filter(({ status }) => status === 202);
  assert.is(accepted.length, 10);
  for (const answer of answers.filter(({ status }) => status !== 202)) {
    assert.is(answer.headers.get('retry-after'), '10');
    const limits = ['limit', 'remaining'].map((name) => answer.headers.get(`x-ratelimit-${name}`));
    assert.equal(limits, ['10', '0']);
    assert.ok(Number(answer.headers.get('x-ratelimit-reset')) > Date.now() / 1_000);
    const { status, type, metadata } = await refusal(answer);
    assert.equal([status, type, metadata], [429, 'rate_limit_exceeded', { limit: 10, active: 10 }]);
  }
  const batches = (await Promise.all(accepted.map((answer) => answer.json()))) as Batch[];
  for (const { id } of batches) await mine.cancel(id);
});

it('a submission to a full queue is refused before its body is read, but not the repeat of an accepted one', async () => {
  const { key } = await cluster.fund('10');
  const mine = clientOf(cluster, key);
  const repeated = { headers: { 'idempotency-key': 'one' } };
  const first = await mine.submit(submission([slow]), repeated);
  const batches = [first];
  while (batches.length < 10) batches.push(await mine.submit(submission([slow])));
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-length': 1_000_000 };
    const sending = request(`${cluster.baseUrls[0]}/batches`, { method: 'POST', headers }, (answer) => {
      resolve(answer.statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
  assert.is(status, 429);
  assert.is((await mine.submit(submission([slow]), repeated)).id, first.id);
  for (const { id } of batches) await mine.cancel(id);
});

it('members of a submission that nothing reads are named', async () => {
  const mine = await fresh();
  const answer = await mine.post(submission([slow], { completion_windw: '24h' }));
  assert.equal([answer.status, answer.headers.get('x-unread-members')], [202, 'completion_windw']);
  await mine.cancel(((await answer.json()) as Batch).id);
});

it('a repeated Idempotency-Key returns the recorded batch, and another body is 422 (rule B10)', async () => {
  const mine = await fresh();
  const headers = { 'idempotency-key': 'nightly-7' };
  const body = submission([slow]);
  const first = await mine.submit(body, { headers });
  const again = await mine.submit(body, { headers, node: 1 });
  assert.is(again.id, first.id);
  const other = await refusal(await mine.post(submission([slow, slow]), { headers, node: 2 }));
  assert.equal([other.status, other.type], [422, 'unprocessable']);
  assert.not.equal((await mine.submit(body)).id, first.id, 'without the key it is another batch');
  const { data } = (await mine.json(mine.send('/batches'))) as { data: Batch[] };
  assert.is(data.length, 2);
  for (const { id } of data) await mine.cancel(id);
});

it('unknown, malformed and other accounts’ ids get one identical 404 on every route (rule B34)', async () => {
  const mine = await fresh();
  const { id } = await mine.submit(submission([slow]));
  const bodies = new Set<string>();
  const ask = async (from: Client, one: string): Promise<void> => {
    for (const answer of [
      await from.send(`/batches/${one}`),
      await from.send(`/batches/${one}/cancel`, { method: 'POST' }),
    ]) {
      assert.is(answer.status, 404);
      bodies.add(await answer.text());
    }
  };
  for (const one of [`batch_${'0'.repeat(32)}`, 'batch_1', id.toUpperCase(), 'file_1', '__proto__', '%00']) {
    await ask(mine, one);
  }
  await ask(await fresh(), id);
  assert.is(bodies.size, 1, [...bodies].join('\n'));
  await mine.cancel(id);
});

it('lists newest first, in pages and by every filter; a parameter out of range is a 400 naming it (rule B33)', async () => {
  const mine = await fresh();
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.unshift((await mine.submit(submission([slow]))).id);
  await mine.cancel(ids[0] as string);
  const page = async (query: string) =>
    (await mine.json(mine.send(`/batches?${query}`, { node: query.length }))) as {
      data: Batch[];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
  const idsOf = async (query: string) => (await page(query)).data.map(({ id }) => id);
  const all = await page('');
  assert.ok(published.list.Check(all), JSON.stringify(all));
  assert.equal(await idsOf(''), ids);
  const first = await page('limit=3');
  assert.equal([first.first_id, first.last_id, first.has_more], [ids[0], ids[2], true]);
  const second = await page(`limit=3&after=${first.last_id}`);
  assert.equal([second.data.map(({ id }) => id), second.has_more], [[ids[3]], false]);
  const shown = all.data.map(({ status }) => status);
  const cancelled = ids.filter((_, at) => shown[at] === 'cancelled' || shown[at] === 'cancelling');
  assert.equal(cancelled, [ids[0]]);
  assert.equal(await idsOf('status=cancelled&status=cancelling'), cancelled);
  assert.equal(await idsOf('status=completed'), []);
  assert.equal(await idsOf('status=validating&status=in_progress'), ids.slice(1));
  const { created_at: newest } = all.data[0] as Batch;
  const { created_at: oldest } = all.data.at(-1) as Batch;
  assert.equal(await idsOf(`created_after=${newest}`), [], 'exclusive');
  assert.equal(await idsOf(`created_before=${oldest}`), [], 'exclusive');
  assert.equal(await idsOf(`created_after=${oldest - 1}&created_before=${newest + 1}`), ids);
  assert.equal(await idsOf(`created_after=${new Date((oldest - 1) * 1_000).toISOString()}`), ids);
  assert.equal(await idsOf(`created_before=${new Date(newest * 1_000 + 86_400_000).toISOString().slice(0, 10)}`), ids);
  assert.equal(await idsOf('created_before=2020-01-01'), []);
  for (const [query, member] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['status=finalizing', 'status'],
    ['after=file_1', 'after'],
    ['created_after=tomorrow', 'created_after'],
    ['created_before=2026-02-30', 'created_before'],
  ] as const) {
    const refused = await refusal(await mine.send(`/batches?${query}`));
    assert.is(refused.status, 400);
    assert.match(refused.message, new RegExp(`^${member} `));
  }
  for (const id of ids) await mine.cancel(id);
});

it('a submission is one request of the rate of its key, and its lines are none (rule B11)', async () => {
  const mine = await cluster.fund('10', { perMinute: 1 });
  const tight = clientOf(cluster, mine.key);
  const other = clientOf(cluster, (await cluster.issue(mine.account)).key);
  const { id } = await tight.submit(submission(Array.from({ length: 20 }, () => chat())));
  // A minute may end once between these.
  const statuses = await Promise.all([1, 2, 3].map(async () => (await tight.send('/key')).status));
  assert.ok(statuses.includes(429), `${statuses}`);
  assert.equal((await other.end(id)).request_counts, { total: 20, completed: 20, failed: 0 });
});

it('a cancel is never shed, whatever else an overloaded node refuses (rule E45)', () => {
  const never = apiTable()
    .filter(({ path }) => path.startsWith('/batches'))
    .filter(({ isNeverShed }) => isNeverShed)
    .map(({ path }) => path);
  assert.equal(never, ['/batches/:id/cancel']);
});

it('without a key, or with a management key, no route of batches answers', async () => {
  const management = (await cluster.issue(funded.account, { kind: 'management' })).key;
  for (const [method, path] of [
    ['POST', '/batches'],
    ['GET', '/batches'],
    ['GET', '/batches/batch_1'],
    ['POST', '/batches/batch_1/cancel'],
  ] as const) {
    const stranger = await send(path, { method, key: null });
    assert.is((await refusal(stranger)).status, 401);
    assert.is((await refusal(await clientOf(cluster, management).send(path, { method }))).status, 403);
  }
});

test.run();
