import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { modelsDocument } from '../support/provider/simulated-provider.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const WINDOW = 1_000_000;

/** `max_tokens` of each call that the provider received. */
const ceilings: unknown[] = [];
const provider = await startScriptedProvider();
provider.answer = ({ stream, body, response }) => {
  ceilings.push(body.max_completion_tokens);
  const usage = { prompt_tokens: 5, completion_tokens: 2 };
  if (stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] })}\n\n`);
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }], usage }));
};
const { cluster, send } = await openApi(test, () =>
  startCluster({ simulators: [], providers: [endless(provider.baseUrl), onlyAsked(provider.baseUrl)] }),
);
test.after(() => provider.close());

/** A model of 1,000,000 tokens at 15 USD per million completion tokens that declares no output limit. */
function endless(baseUrl: string) {
  const [model] = structuredClone(modelsDocument('sim-b')?.data ?? []);
  if (model === undefined) throw new Error('the simulator declares no model');
  const [input] = model.input_modalities;
  const [output] = model.output_modalities;
  Object.assign(input as object, { supported_inputs: { max_context_length: { value: WINDOW } } });
  Object.assign(output as object, { pricing: [{ type: 'completion', unit: 'token', cost_usd: '0.000015' }] });
  delete (output as { max_length?: object }).max_length;
  return { slug: 'endless', name: 'Endless', baseUrl, models: { data: [{ ...model, id: 'sim/endless' }] } };
}

/** The same, at a provider that is sent a ceiling only where the request has one. */
function onlyAsked(baseUrl: string) {
  const { models } = endless(baseUrl);
  const data = models.data.map((model) => ({ ...model, id: 'sim/asked', wire: { ceiling: 'asked' } }));
  return { slug: 'asked', name: 'Asked', baseUrl, models: { data } };
}

function ask(key: string, members: object = {}): Promise<Response> {
  const body = { model: 'sim/endless', messages: [{ role: 'user', content: 'Hello' }], ...members };
  return send('/chat/completions', { key, body });
}

for (const stream of [false, true]) {
  it(`10 USD admit "Hello" on a model of 1,000,000 tokens${stream ? ', streamed' : ''}: the ceiling is what they afford (rule K59)`, async () => {
    const { key } = await cluster.fund('10');
    const answer = await ask(key, { stream });
    await answer.text();
    assert.is(answer.status, 200);
    const sent = ceilings.at(-1) as number;
    assert.ok(sent > 660_000 && sent <= 666_666, `${sent}`);
    assert.is(answer.headers.get('x-affordable-max-tokens'), String(sent));
    const id = answer.headers.get('x-generation-id');
    const record = await send(`/generation?id=${id}`, { key });
    const { data } = (await record.json()) as { data: { affordable_max_tokens: number; hold_cost: number } };
    assert.is(data.affordable_max_tokens, sent);
    assert.ok(data.hold_cost <= 10 && data.hold_cost > 9.9999, `${data.hold_cost}`);
  });
}

it('a limited key lowers the ceiling as the account does', async () => {
  const { key } = await cluster.fund('10', { limit: '0.5' });
  const answer = await ask(key);
  assert.is(answer.status, 200);
  await answer.text();
  assert.ok((ceilings.at(-1) as number) <= 33_333);
});

it('the ceiling is not lowered where the money reaches', async () => {
  const { key } = await cluster.fund('100');
  const answer = await ask(key);
  await answer.text();
  assert.ok((ceilings.at(-1) as number) > 990_000);
  assert.is(answer.headers.get('x-affordable-max-tokens'), null);
});

it('below the configured least it is the 402, which names the max_tokens that would be admitted (rule K59)', async () => {
  const { key } = await cluster.fund('0.05');
  const calls = ceilings.length;
  const refused = await ask(key);
  assert.is(refused.status, 402);
  const { error } = (await refused.json()) as { error: { metadata: { affordable_max_tokens: number; scope: string } } };
  const { affordable_max_tokens: affordable, scope } = error.metadata;
  assert.is(scope, 'account');
  assert.ok(affordable > 3_000 && affordable < 4_096, `${affordable}`);
  assert.is((await ask(key, { max_tokens: affordable + 1 })).status, 402);
  assert.is(ceilings.length, calls, 'no provider was called');
  const admitted = await ask(key, { max_tokens: affordable });
  assert.is(admitted.status, 200);
  await admitted.text();
});

it('a requested ceiling is never lowered for lack of money (rule K59)', async () => {
  const { key } = await cluster.fund('10');
  const refused = await ask(key, { max_tokens: 900_000 });
  assert.is(refused.status, 402);
  const { error } = (await refused.json()) as { error: { metadata: { affordable_max_tokens: number } } };
  assert.ok(error.metadata.affordable_max_tokens > 660_000);
});

it('a request whose ceiling was lowered spends one request of the rate', async () => {
  const { key } = await cluster.fund('10', { perMinute: 2 });
  for (const request of ['first', 'second']) {
    const answer = await ask(key);
    await answer.text();
    assert.is(answer.status, 200, request);
  }
});

it('a ceiling that the money lowered is sent even where only requested ones are', async () => {
  const sentTo = async (usd: string): Promise<unknown> => {
    const { key } = await cluster.fund(usd);
    const answer = await ask(key, { model: 'sim/asked' });
    await answer.text();
    assert.is(answer.status, 200);
    return ceilings.at(-1);
  };
  assert.is(await sentTo('100'), undefined);
  const sent = (await sentTo('10')) as number;
  assert.ok(sent > 660_000 && sent <= 666_666, `${sent}`);
});

test.run();
