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
const modelOf = (dialect: 'completions' | 'chat'): object => ({
  schema_version: '2.4',
  id: 'sim/fast',
  slug: `author/${dialect}`,
  name: dialect,
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
const providers = (['completions', 'chat'] as const).map(
  (dialect): ProviderDeclaration => ({
    slug: dialect,
    name: dialect,
    dialect,
    baseUrl: simulator.baseUrl,
    models: { data: [modelOf(dialect)] },
  }),
);

let cluster: TestCluster;
let funded: Funded;
let client: OpenAI;
test.before(async () => {
  cluster = await startCluster({ simulators: [], providers });
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
