import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { completionsAdapter } from '../../../../gateway/providers/completions/adapter.ts';
import { CompletionsReader } from '../../../../gateway/providers/completions/reply-reader.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { ProviderDeclaration } from '../../../../gateway/terms/provider-declaration.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { type Funded, startCluster, type TestCluster } from '../../../support/cluster/start-cluster.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test, 60_000);
const simulator = await startSimulator({ name: 'sim-a', keep: true });

/** A model that continues texts, and one that chats. */
const modelOf = (name: string): object => ({
  schema_version: '2.4',
  id: 'sim/fast',
  slug: `author/${name}`,
  name,
  created: 1_750_000_000,
  input_modalities: [{ type: 'text', supported_inputs: { max_context_length: { value: 10_000 } } }],
  output_modalities: [
    {
      type: 'text',
      max_length: { value: 100 },
      supported_parameters: Object.fromEntries(
        ['temperature', 'suffix', 'logprobs', 'top_logprobs', 'stop'].map((name) => [name, { type: 'unknown' }]),
      ),
    },
  ],
});
const plain = (['completions', 'chat'] as const).map(
  (dialect): ProviderDeclaration => ({
    slug: dialect,
    name: dialect,
    dialect,
    baseUrl: simulator.baseUrl,
    models: { data: [modelOf(dialect)] },
  }),
);
/** Presets whose provider enforces its published rules of text completions. */
const STRICT_NAMES = ['openai', 'vllm'] as const;
const SETTINGS = ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'seed', 'stop', 'logprobs'];

function strictModel(name: string): object {
  const unknown = { type: 'unknown' };
  const settings = Object.fromEntries(SETTINGS.map((setting) => [setting, unknown]));
  const declared = { ...settings, top_logprobs: { type: 'range', min: 0, max: 5 } };
  return {
    ...modelOf(name),
    output_modalities: [{ type: 'text', max_length: { value: 100 }, supported_parameters: declared }],
  };
}
const strict = STRICT_NAMES.map(
  (preset): ProviderDeclaration => ({
    slug: preset,
    name: preset,
    preset,
    dialect: 'completions',
    baseUrl: `http://127.0.0.1:${simulator.port}/strict/${preset}/v1`,
    models: { data: [strictModel(preset)] },
  }),
);

let cluster: TestCluster;
let funded: Funded;
let client: OpenAI;
test.before(async () => {
  cluster = await startCluster({ simulators: [], providers: [...plain, ...strict] });
  funded = await cluster.fund('10');
  client = new OpenAI({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
});
test.after(async () => {
  await cluster.close();
  await simulator.close();
});

const ENDPOINT = endpointOf({
  target: { dialect: 'completions', baseUrl: 'https://p.test/v1', upstreamId: 'base-1' },
  supportedParameters: ['temperature', 'stop', 'suffix', 'logprobs', 'top_logprobs'],
  defaultParameters: { temperature: 0.7 },
});

function bodyOf(requested: Partial<Turn>): unknown {
  const turn = turnOf({ kind: 'continuation', messages: [{ role: 'user', text: 'Once' }], ...requested });
  return JSON.parse(completionsAdapter.writer(ENDPOINT)(turn, 50) as string);
}

it('a text goes out as a prompt, with the number of scored alternatives and the text behind the gap', () => {
  const sampling = { suffix: 'end', stop: ['x'], logprobs: true, top_logprobs: 3, seed: 5 };
  assert.equal(bodyOf({ sampling, stream: true, user: 'u' }), {
    model: 'base-1',
    prompt: 'Once',
    stream: true,
    max_tokens: 50,
    stream_options: { include_usage: true },
    temperature: 0.7,
    stop: ['x'],
    suffix: 'end',
    logprobs: 3,
    user: 'u',
  });
  assert.equal(bodyOf({ sampling: { logprobs: true } }), {
    model: 'base-1',
    prompt: 'Once',
    stream: false,
    max_tokens: 50,
    temperature: 0.7,
    logprobs: 0,
  });
});

it('a conversation has no form', () => {
  assert.throws(
    () => bodyOf({ kind: 'conversation' }),
    (error: unknown) => error instanceof ProviderFailure && error.refusal?.code === 'unsupported_parameter',
  );
});

it('a published answer is read, with its scores, its sequence and its usage; an error in it is a failure', () => {
  const events: TurnEvent[] = [];
  const reader = new CompletionsReader(String);
  const logprobs = {
    tokens: [' up', 'on'],
    token_logprobs: [-0.5, null],
    top_logprobs: [{ ' up': -0.5, ' a': -2 }, null],
    text_offset: [4, 7],
  };
  reader.readWhole(
    {
      id: 'cmpl-1',
      choices: [{ index: 0, text: ' upon', logprobs, finish_reason: 'stop', stop_reason: 'x' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
    events,
  );
  const top_logprobs = [
    { token: ' up', logprob: -0.5 },
    { token: ' a', logprob: -2 },
  ];
  assert.equal(events, [
    { type: 'text-delta', text: ' upon' },
    { type: 'logprobs', content: [{ token: ' up', logprob: -0.5, top_logprobs }] },
    { type: 'finish', reason: 'stop', native: 'stop', stopSequence: 'x' },
  ]);
  assert.is(reader.upstreamId, 'cmpl-1');
  assert.equal(reader.usage, { promptTokens: 1, completionTokens: 2 });
  assert.throws(
    () => new CompletionsReader(String).readFrame(undefined, '{"error":{"message":"busy","code":503}}', []),
    (error: unknown) => error instanceof ProviderFailure && error.reason === 'overloaded',
  );
});

it('the client reads what the simulated server answers, whole and streamed', async () => {
  const direct = new OpenAI({ apiKey: 'k', baseURL: simulator.baseUrl, maxRetries: 0 });
  const whole = await direct.completions.create({ model: 'sim/fast', prompt: 'Once', logprobs: 2 });
  const [choice] = whole.choices;
  assert.is(choice?.logprobs?.tokens?.join(''), choice?.text);
  let text = '';
  for await (const { choices } of await direct.completions.create({
    model: 'sim/fast',
    prompt: 'Once',
    stream: true,
  })) {
    text += choices[0]?.text ?? '';
  }
  assert.match(text, /x1 x2/);
});

it('a text completion is served by both kinds of endpoint, as a prompt where the endpoint continues texts', async () => {
  for (const [dialect, path] of [
    ['completions', '/v1/completions'],
    ['chat', '/v1/chat/completions'],
  ]) {
    for (const stream of [true, false] as const) {
      const model = `author/${dialect}`;
      let text = '';
      if (stream) {
        const asked = { model, prompt: 'Once', stream, echo: true };
        for await (const { choices } of await client.completions.create(asked)) text += choices[0]?.text ?? '';
      } else {
        const answer = await client.completions.create({ model, prompt: 'Once', echo: true, logprobs: 1 });
        text = answer.choices[0]?.text ?? '';
        assert.is(answer.choices[0]?.logprobs?.text_offset?.[0], 4);
        assert.ok((answer.usage?.completion_tokens ?? 0) > 0);
      }
      assert.match(text, /^Once.*x1 x2/);
      const { path: called, body } = simulator.calls.at(-1) ?? {};
      assert.is(called, path);
      assert.is((body as { prompt?: string } | undefined)?.prompt, dialect === 'completions' ? 'Once' : undefined);
    }
  }
});

it('an ordinary text completion is accepted by every provider that enforces its rules, whole and streamed', async () => {
  const before = simulator.calls.length;
  for (const name of STRICT_NAMES) {
    const settings = { temperature: 0.2, top_p: 0.9, frequency_penalty: 0.1, presence_penalty: 0.1, seed: 7 };
    const asked = { model: `author/${name}`, prompt: 'Once', max_tokens: 9, stop: ['x9'], user: 'u', echo: true };
    const whole = await client.completions.create({ ...asked, ...settings, logprobs: 5 });
    assert.match(whole.choices[0]?.text ?? '', /^Once.*x1 x2/);
    let text = '';
    for await (const { choices } of await client.completions.create({ ...asked, ...settings, stream: true })) {
      text += choices[0]?.text ?? '';
    }
    assert.match(text, /^Once.*x1 x2/);
  }
  const calls = simulator.calls.slice(before);
  assert.equal(
    calls.map(({ provider, status }) => [provider, status]),
    STRICT_NAMES.flatMap((name) => [
      [name, 200],
      [name, 200],
    ]),
  );
  await client.completions.create({ model: 'author/openai', prompt: 'Once', logprobs: 6 }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /top_logprobs/),
  );
  assert.is(simulator.calls.length, before + calls.length, 'a number that no endpoint declares is not sent');
});

it('the strict simulators refuse in their own words what no declaration prevents', async () => {
  const refusal = async (name: string, body: object): Promise<string> => {
    const url = `http://127.0.0.1:${simulator.port}/strict/${name}/v1/completions`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ model: 'sim/fast', ...body }) });
    return `${response.status} ${await response.text()}`;
  };
  const prompt = 'Once';
  assert.match(await refusal('openai', { prompt, top_k: 2 }), /^400 .*Unrecognized request argument supplied: top_k/);
  assert.match(await refusal('openai', { prompt, logprobs: 6 }), /^400 .*'logprobs': must be less than or equal to 5/);
  assert.match(await refusal('openai', { prompt, suffix: 'end' }), /^400 .*does not support the suffix/);
  assert.match(await refusal('openai', { prompt, model: 'x-instruct', suffix: 'end' }), /^200 /);
  assert.match(await refusal('openai', { prompt, stop: ['1', '2', '3', '4', '5'] }), /^400 .*array too long/);
  for (const name of STRICT_NAMES) {
    assert.match(await refusal(name, {}), /^400 .*must provide a 'prompt'/);
    assert.match(await refusal(name, { prompt, stream_options: { include_usage: true } }), /^400 .*only allowed when/);
  }
  assert.match(await refusal('vllm', { prompt, top_k: 2 }), /^200 /);
});

it('a prompt of token ids, and a list of prompts, are refused before any call, by the name of the member', async () => {
  const before = simulator.calls.length;
  for (const prompt of [
    [1, 2, 3],
    [[1, 2], [3]],
    ['Once', 'Twice'],
  ]) {
    const answer = await fetch(`${cluster.baseUrls[0]}/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'author/completions', prompt }),
    });
    assert.is(answer.status, 400);
    assert.match(await answer.text(), /prompt/);
  }
  assert.is(simulator.calls.length, before);
});

it('a conversation is not sent to an endpoint that continues texts, and its refusal says so', async () => {
  const before = simulator.calls.length;
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  try {
    await client.chat.completions.create({ model: 'author/completions', messages });
    assert.unreachable();
  } catch (error) {
    assert.match(String((error as Error).message), /a conversation is not supported/);
  }
  assert.is(simulator.calls.length, before);
});

test.run();
