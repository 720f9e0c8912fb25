import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { clientOf, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);
const PARALLEL = 30;

const { cluster, funded, send, dataOf } = await openApi(test, openCluster, '100');
let keys = 0;

interface Refused {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: { readonly generation_id?: string; readonly generation_status?: string };
  };
}

interface Asked {
  readonly node?: number;
  readonly directive?: object;
  readonly members?: object;
  readonly path?: string;
  readonly key?: string;
}

function ask(idempotencyKey: string, { directive = {}, members = {}, path, ...at }: Asked = {}): Promise<Response> {
  const body = { model: 'sim/fast', messages: say(directive), ...members };
  return send(path ?? '/chat/completions', { body, headers: { 'idempotency-key': idempotencyKey }, ...at });
}

const refusal = async (answer: Response): Promise<Refused['error']> => ((await answer.json()) as Refused).error;
const nextKey = (): string => `repeat-${++keys}`;
const callsOf = (id: string): number =>
  cluster.simulators.reduce((sum, { calls }) => sum + calls.filter((call) => call.id === id).length, 0);

async function charged(): Promise<number> {
  return (await dataOf<{ total_usage: number }>('/credits')).total_usage;
}

it('of many at once over three nodes one is served and charged; the others are 409 with Retry-After (rule K66)', async () => {
  const key = nextKey();
  const directive = { id: key, tokens: 30, ttft_ms: 1_000 };
  const before = await charged();
  const answers = await Promise.all(Array.from({ length: PARALLEL }, (_, node) => ask(key, { node, directive })));
  const served = answers.filter(({ status }) => status === 200);
  assert.is(served.length, 1);
  const [first] = served as [Response];
  const id = first.headers.get('x-generation-id');
  const { usage } = (await first.json()) as { usage: { cost: number } };
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assert.is(answer.status, 409);
    const { metadata } = await refusal(answer);
    assert.is(metadata.generation_id, id);
    const isRunning = metadata.generation_status === 'running';
    assert.is(answer.headers.get('x-should-retry'), String(isRunning));
    assert.is(Number(answer.headers.get('retry-after')) > 0, isRunning);
  }
  assert.is(callsOf(key), 1);
  assert.is((await charged()).toFixed(12), (before + usage.cost).toFixed(12));
});

for (const stream of [false, true]) {
  it(`the repeat of a finished ${stream ? 'stream' : 'answer'} names its generation, whose record tells the charge`, async () => {
    const key = nextKey();
    const asked = { directive: { id: key }, members: { stream } };
    const first = await ask(key, asked);
    const text = await first.text();
    const cost = Number(/"cost":\s*([0-9.e-]+)/.exec(text)?.[1]);
    const repeated = await ask(key, { ...asked, node: 1 });
    assert.is(repeated.status, 409);
    assert.is(repeated.headers.get('x-should-retry'), 'false');
    assert.is(repeated.headers.get('retry-after'), null);
    const { metadata, code } = await refusal(repeated);
    assert.is(code, 409);
    assert.is(metadata.generation_id, first.headers.get('x-generation-id'));
    assert.is(metadata.generation_status, 'settled');
    assert.is(callsOf(key), 1);
    const record = await dataOf<{ total_cost: number }>(`/generation?id=${metadata.generation_id}`, { node: 2 });
    assert.is(record.total_cost, cost);
  });
}

const content = (key: string): string => `@sim ${JSON.stringify({ id: key, tokens: 30, ttft_ms: 300 })}`;
/** A request of each other dialect. */
const DIALECTS: Readonly<Record<string, (key: string) => object>> = {
  '/completions': (key) => ({ model: 'sim/fast', prompt: content(key) }),
  '/messages': (key) => ({ model: 'sim/fast', max_tokens: 100, messages: [{ role: 'user', content: content(key) }] }),
  '/responses': (key) => ({ model: 'sim/fast', input: content(key) }),
  '/embeddings': (key) => ({ model: 'sim/embedder', input: content(key) }),
};

for (const [path, bodyOf] of Object.entries(DIALECTS)) {
  for (const stream of path === '/embeddings' ? [false] : [false, true]) {
    it(`POST ${path}, ${stream ? 'as a stream' : 'whole'}: of several at once one is served and charged, another body is 422`, async () => {
      const payer = await cluster.fund('10');
      const key = nextKey();
      const send = (node: number, more: object = {}): Promise<Response> =>
        clientOf(cluster, payer.key).send(path, {
          headers: { 'idempotency-key': key },
          body: { ...bodyOf(key), ...(stream ? { stream } : {}), ...more },
          node,
        });
      const answers = await Promise.all([0, 1, 2, 3, 4, 5].map((node) => send(node)));
      const [served, ...further] = answers.filter(({ status }) => status === 200);
      assert.is(further.length, 0);
      const id = served?.headers.get('x-generation-id');
      await served?.text();
      const repeats = [...answers.filter((one) => one !== served), await send(1)];
      for (const repeat of repeats) {
        assert.is(repeat.status, 409);
        assert.match(await repeat.text(), new RegExp(`${id}`), 'names the generation');
      }
      assert.is(repeats.at(-1)?.headers.get('x-should-retry'), 'false');
      const other = await send(2, { user: 'another' });
      assert.is(other.status, 422);
      await other.text();
      assert.is(callsOf(key), 1);
      const own = { key: payer.key };
      const { total_cost: cost } = await dataOf<{ total_cost: number }>(`/generation?id=${id}`, own);
      assert.ok(cost > 0);
      assert.is((await dataOf<{ total_usage: number }>('/credits', own)).total_usage, cost);
    });
  }
}

it('the same key with another body, or on another route, is 422', async () => {
  const key = nextKey();
  await (await ask(key, { directive: { id: key } })).text();
  const others: readonly Asked[] = [
    { directive: { id: key }, members: { temperature: 0.5 } },
    { directive: { id: key }, members: { prompt: 'x' }, path: '/completions' },
  ];
  for (const other of others) {
    const refused = await ask(key, other);
    assert.is(refused.status, 422, JSON.stringify(other));
    assert.is(refused.headers.get('x-should-retry'), null);
    await refused.text();
  }
  assert.is(callsOf(key), 1);
});

it('a large body is compared whole: its last character counts', async () => {
  const key = nextKey();
  const padded = (last: string): Asked => ({
    directive: { id: key },
    members: { user: 'u', note: `${'x'.repeat(700_000)}${last}` },
  });
  await (await ask(key, padded('a'))).text();
  assert.is((await ask(key, padded('a'))).status, 409);
  assert.is((await ask(key, padded('b'))).status, 422);
});

it('a request that failed before its answer may be repeated under its key', async () => {
  const key = nextKey();
  const asked = { directive: { id: key, fail_first: 2, status: 500 } };
  const failed = await ask(key, asked);
  assert.is(failed.status, 502);
  await failed.text();
  // The hold is released in the background.
  let answer = await ask(key, { ...asked, node: 1 });
  for (; answer.status === 409; answer = await ask(key, { ...asked, node: 1 })) {
    assert.is((await refusal(answer)).metadata.generation_status, 'running');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.is(answer.status, 200);
  await answer.text();
  assert.is((await ask(key, asked)).status, 409);
});

it('a refused request claims nothing, and a key belongs to its account', async () => {
  const key = nextKey();
  assert.is((await ask(key, { members: { model: 'sim/unknown' } })).status, 404);
  assert.is((await ask(key, { directive: { id: key } })).status, 200);
  const other = await cluster.fund('1');
  assert.is((await ask(key, { key: other.key, directive: { id: key } })).status, 200);
  const { key: second } = await cluster.issue(funded.account);
  assert.is((await ask(key, { key: second, directive: { id: key } })).status, 409, 'another key of the same account');
});

it('a malformed key is 400', async () => {
  for (const key of ['x'.repeat(256), 'two words', ' ']) {
    const refused = await ask(key);
    assert.is(refused.status, 400, JSON.stringify(key));
    assert.match((await refusal(refused)).message, /Idempotency-Key/);
  }
  assert.is((await ask('x'.repeat(255))).status, 200);
});

test.run();
