/** A provider that reads only the end of a long prompt, says so nowhere but in its usage, and answers 200. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { modelsDocument } from '../support/provider/simulated-provider.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const READ = 2_048;
const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000);

let reported = READ;
const provider = await startScriptedProvider();
provider.answer = ({ stream, response }) => {
  const usage = { prompt_tokens: reported, completion_tokens: 2 };
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
  startCluster({ simulators: [], providers: [cutting(provider.baseUrl)] }),
);
test.after(() => provider.close());

/** A model of 128,000 tokens at 1 USD per million prompt tokens. */
function cutting(baseUrl: string) {
  const [model] = structuredClone(modelsDocument('sim-b')?.data ?? []);
  if (model === undefined) throw new Error('the simulator declares no model');
  const [input, output] = [model.input_modalities[0], model.output_modalities[0]];
  const prompt = [{ type: 'prompt', unit: 'token', cost_usd: '0.000001' }];
  Object.assign(input as object, { supported_inputs: { max_context_length: { value: 128_000 } }, pricing: prompt });
  Object.assign(output as object, { pricing: [{ type: 'completion', unit: 'token', cost_usd: '0' }] });
  return { slug: 'cutting', name: 'Cutting', baseUrl, models: { data: [{ ...model, id: 'sim/cutting' }] } };
}

interface Recorded {
  readonly tokens_prompt: number;
  readonly native_tokens_prompt: number;
  readonly cut_prompt_tokens: number | null;
  readonly honoured: Readonly<Record<string, boolean>> | null;
  readonly total_cost: number;
  readonly estimated: boolean;
}

interface Told {
  readonly header: string | null;
  readonly honoured: Readonly<Record<string, boolean>> | undefined;
  readonly record: Recorded;
}

/** The last `honoured` of a stream. */
function honouredIn(text: string): Readonly<Record<string, boolean>> | undefined {
  const found = /.*"honoured":(\{[^}]*\})/s.exec(text)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as Readonly<Record<string, boolean>>);
}

async function ask(key: string, path: string, body: object): Promise<Told> {
  const answer = await send(path, { key, body: { model: 'sim/cutting', ...body } });
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  const record = await send(`/generation?id=${answer.headers.get('x-generation-id')}`, { key });
  const { data } = (await record.json()) as { data: Recorded };
  return { header: answer.headers.get('x-prompt-tokens-read'), honoured: honouredIn(text), record: data };
}

const messages = [{ role: 'user', content: LONG }];
const DIALECTS: readonly (readonly [path: string, body: object, prompt: string])[] = [
  ['/chat/completions', { messages }, 'messages'],
  ['/messages', { messages, max_tokens: 10 }, 'messages'],
  ['/responses', { input: LONG }, 'input'],
  ['/completions', { prompt: LONG }, 'prompt'],
];

for (const [path, body, prompt] of DIALECTS) {
  it(`${path}: a prompt that its provider cut in silence is told, recorded, and charged as reported (rule K82)`, async () => {
    const { key } = await cluster.fund('10');
    reported = READ;
    const whole = await ask(key, path, body);
    assert.is(whole.header, String(READ));
    const streamed = await ask(key, path, { ...body, stream: true });
    assert.is(streamed.honoured?.[prompt], false);
    for (const { record } of [whole, streamed]) {
      assert.equal([record.tokens_prompt, record.native_tokens_prompt, record.estimated], [READ, READ, false]);
      assert.is(record.total_cost, 0.002048);
      assert.ok((record.cut_prompt_tokens ?? 0) > 4 * READ, String(record.cut_prompt_tokens));
      assert.is(record.honoured?.messages, false);
    }
  });
}

it('a count that another tokenizer can have, a short prompt and a placeholder are no cut prompts', async () => {
  const { key } = await cluster.fund('10');
  const [path, body] = DIALECTS[0] as (typeof DIALECTS)[number];
  const short = { messages: [{ role: 'user', content: 'The quick brown fox. '.repeat(1_000) }] };
  for (const [count, asked] of [
    [3_000, body],
    [0, body],
    [5, short],
  ] as const) {
    reported = count;
    const { header, record } = await ask(key, path, asked);
    assert.equal([header, record.cut_prompt_tokens, record.honoured?.messages], [null, null, undefined]);
  }
});

test.run();
