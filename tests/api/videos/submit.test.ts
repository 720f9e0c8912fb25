import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PNG } from '../../fixtures/assets.ts';
import { bounded } from '../../support/bounded.ts';
import { type Answer, type Asked, type Failure, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);

const { cluster, send, ask: call } = await openApi(test, openCluster, '100');

function submit<Body = Accepted>(body: object | string, asked: Asked = {}): Promise<Answer<Body>> {
  return call<Body>('/videos', { body, ...asked });
}

interface Accepted {
  readonly id: string;
  readonly polling_url: string;
  readonly status: string;
}
const ASK = { model: 'sim/flipbook', prompt: 'a lake', duration: 2 };

it('a submission is answered 202 with the id, the path of the job and its status (rule V1)', async () => {
  // rule V1
  const { status, headers, body } = await submit(ASK);
  assert.is(status, 202, JSON.stringify(body));
  assert.match(body.id, /^vjob_[0-9a-f]{32}$/);
  assert.equal(Object.keys(body), ['id', 'polling_url', 'status']);
  assert.equal([body.polling_url, body.status], [`/api/v1/videos/${body.id}`, 'pending']);
  assert.match(String(headers.get('x-generation-id')), /^gen-\d{10}-/);
  const job = await call<Accepted>(`/videos/${body.id}`);
  assert.equal([job.status, job.body.id, job.body.polling_url], [200, body.id, body.polling_url]);
});

it('members that name what the service decides have no effect', async () => {
  // rule K13
  const claims = { account_id: 'acct_x', id: 'vjob_x', status: 'completed', cost: 0, generation_id: 'gen-x' };
  const { status, body } = await submit(
    `${JSON.stringify({ ...ASK, ...claims }).slice(0, -1)},"__proto__":{"cost":0}}`,
  );
  assert.equal([status, body.status], [202, 'pending']);
  assert.is.not(body.id, 'vjob_x');
});

it('its money is held and its generation names the application', async () => {
  const { account, key } = await cluster.fund('1');
  const headers = { 'x-title': 'Cutter', 'http-referer': 'https://cutter.example' };
  const accepted = await submit(
    { ...ASK, model: 'sim/storyboard', prompt: '@sim {"render_ms": 600000}' },
    { key, headers },
  );
  assert.is(accepted.status, 202);
  const id = accepted.headers.get('x-generation-id');
  const found = await call<{ data: Record<string, unknown> }>(`/generation?id=${id}`, { key });
  assert.is(found.status, 200, JSON.stringify(found.body));
  assert.equal(
    [found.body.data.app_id ?? found.body.data.app_title, found.body.data.model],
    ['Cutter', 'sim/storyboard'],
  );
  assert.ok(account);
});

it('an idempotency key answers the recorded job, and another body is 422 (rule V12)', async () => {
  // rule V12
  const headers = { 'idempotency-key': 'once' };
  const one = await submit(ASK, { headers });
  const again = await submit(ASK, { headers });
  assert.equal([one.status, again.status], [202, 202]);
  assert.is(again.body.id, one.body.id);
  assert.is(again.headers.get('x-generation-id'), one.headers.get('x-generation-id'));
  const other = await submit<{ error: Failure }>({ ...ASK, seed: 1 }, { headers });
  assert.equal([other.status, other.body.error.metadata.error_type], [422, 'unprocessable']);
  const malformed = await submit<{ error: Failure }>(ASK, { headers: { 'idempotency-key': 'a b' } });
  assert.is(malformed.status, 400);
  const another = await cluster.fund('1');
  assert.is.not((await submit(ASK, { headers, key: another.key })).body.id, one.body.id);
});

it('of submissions with one idempotency key at once over three nodes one becomes a job, which all answer (rule V12)', async () => {
  const { key } = await cluster.fund('1');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'at-once' };
  const answers = await Promise.all(
    Array.from({ length: 9 }, async (_, at) => {
      const { [at % 3]: base } = cluster.baseUrls;
      const answer = await fetch(`${base}/videos`, { method: 'POST', headers, body: JSON.stringify(ASK) });
      return `${answer.status} ${((await answer.json()) as Accepted).id}`;
    }),
  );
  assert.is(new Set(answers).size, 1, answers.join('\n'));
  assert.match(answers[0] ?? '', /^202 /);
  assert.is((await call<{ data: unknown[] }>('/videos', { key })).body.data.length, 1);
});

it('without the credit for its bound a submission is 402 with what was needed, and nothing is stored (rule V20)', async () => {
  const { key } = await cluster.fund('0.005');
  const { status, body } = await submit<{ error: Failure }>(ASK, { key });
  assert.is(status, 402);
  // 2 seconds and one frame at 0.004 USD.
  assert.equal(body.error.metadata, {
    error_type: 'payment_required',
    scope: 'account',
    required: '0.008166668',
    available: '0.005',
  });
  assert.equal((await call<{ data: unknown[] }>('/videos', { key })).body.data, []);
  const credits = await call<{ data: Record<string, unknown> }>('/credits', { key });
  assert.is(credits.body.data.total_usage, 0);
});

it('requests that no job is made of are refused with their status', async () => {
  // rule V2, rule V5
  const image = `data:image/png;base64,${PNG.toString('base64')}`;
  const reference = { type: 'image_url', image_url: { url: image }, role: 'normal' };
  const table: readonly (readonly [object | string, number, string, string])[] = [
    ['{"model": ', 400, 'invalid_request', ''],
    [{ ...ASK, size: '720p' }, 400, 'invalid_request', 'size must be WIDTHxHEIGHT'],
    [{ ...ASK, model: 'sim/nothing' }, 404, 'not_found', 'Model sim/nothing is not in the catalogue'],
    [{ ...ASK, model: 'sim/fast' }, 404, 'not_found', 'Model sim/fast has no active video endpoint'],
    [
      { ...ASK, model: 'sim/storyboard', duration: 1, input_references: [reference] },
      400,
      'invalid_request',
      'they accept frame_images first_frame',
    ],
    [{ ...ASK, callback_url: 'http://example.com/x' }, 400, 'invalid_request', 'callback_url'],
    [{ ...ASK, provider: { only: ['sim-a'] } }, 503, 'provider_overloaded', 'provider.only'],
    [
      { ...ASK, provider: { max_price: { video_second: '0.001' } } },
      503,
      'provider_overloaded',
      'video_second is 0.001',
    ],
    // Hostile bodies on this route.
    [`{"model":"sim/flipbook","prompt":"x","a":${'['.repeat(80)}${']'.repeat(80)}}`, 400, 'invalid_request', ''],
    ['{"model":"sim/flipbook","model":"sim/fast","prompt":"x"}', 400, 'invalid_request', ''],
    ['{"model":"sim/flipbook","prompt":"x","duration":1e400}', 400, 'invalid_request', ''],
    ['{"model":"sim/flipbook","prompt":"\\ud800"}', 400, 'invalid_request', ''],
    ['{"model":"sim/flipbook","prompt":"x","seed":1e300}', 400, 'invalid_request', 'seed'],
  ];
  for (const [body, status, type, message] of table) {
    const refused = await submit<{ error: Failure }>(body);
    assert.equal(
      [refused.status, refused.body.error.metadata.error_type],
      [status, type],
      JSON.stringify(refused.body),
    );
    assert.ok(refused.body.error.message.includes(message), `${refused.body.error.message} | ${message}`);
  }
  const stranger = await submit<{ error: Failure }>(ASK, { key: `sk-gw-v1-${'0'.repeat(64)}` });
  assert.is(stranger.status, 401);
});

it('a body larger than the route accepts is 413 by its size, before an asset budget is looked at (rule V4)', async () => {
  // rule V4
  const url = `data:image/png;base64,${'A'.repeat(33 * 1024 * 1024)}`;
  const refused = await submit<{ error: Failure }>({
    ...ASK,
    input_references: [{ type: 'image_url', image_url: { url } }],
  });
  assert.equal([refused.status, refused.body.error.metadata.error_type], [413, 'payload_too_large']);
});

it('assets of the whole budget are accepted, and a geometry that no endpoint renders is accepted too (rule V3)', async () => {
  const half = Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024 - PNG.length)]).toString('base64');
  const reference = { type: 'image_url', image_url: { url: `data:image/png;base64,${half}` } };
  const whole = await submit({ model: 'sim/storyboard', duration: 1, input_references: [reference, reference] });
  assert.is(whole.status, 202, JSON.stringify(whole.body));
  const odd = await submit({ ...ASK, size: '333x333' });
  assert.is(odd.status, 202);
  interface Failed extends Accepted {
    readonly error?: { readonly code: number; readonly message: string; readonly error_type: string };
  }
  // The job fails on it, uncharged; the bound of the test is the bound of the wait.
  let job = (await call<Failed>(`/videos/${odd.body.id}`)).body;
  while (job.status === 'pending' || job.status === 'in_progress') {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = (await call<Failed>(`/videos/${odd.body.id}`)).body;
  }
  assert.equal([job.status, job.error?.code, job.error?.error_type], ['failed', 422, 'unprocessable']);
  assert.match(job.error?.message ?? '', 'size cannot be met (333x333)');
  assert.is('usage' in job, false);
});

it('the listing of video models needs a key (rule V14)', async () => {
  const { status, body } = await call<{ data: { id: string }[] }>('/videos/models');
  assert.equal([status, body.data.map(({ id }) => id)], [200, ['sim/filmstrip', 'sim/flipbook', 'sim/storyboard']]);
  assert.is((await send('/videos/models', { key: null })).status, 401);
});

test.run();
