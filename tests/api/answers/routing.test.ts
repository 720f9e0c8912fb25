import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, send } = await openApi(test, openCluster);

/** The result of a request: status and body. */
interface Outcome {
  readonly status: number;
  readonly body: {
    readonly provider?: string;
    readonly model?: string;
    readonly usage?: { readonly prompt_tokens: number };
    readonly error?: { readonly message: string; readonly metadata: Readonly<Record<string, unknown>> };
  };
}

async function asking(): Promise<(body: object) => Promise<Outcome>> {
  const { key } = await cluster.fund('10');
  return async (body) => {
    const answer = await send('/chat/completions', {
      key,
      body: { messages: [{ role: 'user', content: 'hello' }], max_tokens: 20, ...body },
    });
    return { status: answer.status, body: (await answer.json()) as Outcome['body'] };
  };
}

it('preferences select the provider, and rejected endpoints are named with the reason (rule E6)', async () => {
  const ask = await asking();
  assert.is((await ask({ model: 'sim/fast', provider: { order: ['sim-b'] } })).body.provider, 'Sim B');
  assert.is((await ask({ model: 'sim/fast', provider: { sort: 'price' } })).body.provider, 'Sim A');
  assert.is((await ask({ model: 'sim-b/fast' })).body.provider, 'Sim B');
  assert.is((await ask({ models: ['sim/none', 'sim/fast:floor'] })).body.model, 'sim/fast');
  const refused = await ask({ model: 'sim/fast', top_k: 5, provider: { ignore: ['sim-b'] } });
  assert.is(refused.status, 503);
  assert.equal(refused.body.error?.metadata.rejections, [
    { provider: 'sim-a', endpoint: 'sim-a', reason: 'require_parameters', member: 'top_k' },
    { provider: 'sim-b', endpoint: 'sim-b', reason: 'allowed_providers', member: 'provider.ignore' },
  ]);
  const options = await ask({ model: 'sim/fast', provider: { only: ['sim-a'], options: { 'sim-a': { x: 1 } } } });
  assert.is(options.status, 400);
  assert.match(options.body.error?.message ?? '', /provider\.options\.sim-a\.x/);
});

it('a conversation that is too long for every context window is 400, and served if it may be compressed', async () => {
  const ask = await asking();
  const messages = [
    { role: 'system', content: 'be kind' },
    ...Array.from({ length: 41 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `${n} ${'word '.repeat(80)}`,
    })),
  ];
  const refused = await ask({ model: 'sim/small', messages });
  assert.is(refused.status, 400);
  assert.is(refused.body.error?.metadata.error_type, 'context_length_exceeded');
  const served = await ask({ model: 'sim/small', messages, transforms: ['middle-out'] });
  assert.is(served.status, 200);
  assert.ok((served.body.usage?.prompt_tokens ?? 0) < 2_048, 'usage counts the compressed prompt');
  const sent = cluster.simulators.flatMap(({ calls }) => calls.map(({ body }) => JSON.stringify(body.messages)));
  const [texts = '', ...more] = sent.filter((text) => text.includes('"40 word'));
  assert.is(more.length, 0);
  assert.ok(texts.includes('be kind') && texts.includes('"0 word') && texts.includes('"40 word'));
  assert.not.ok(texts.includes('"2 word'));
});

test.run();
