import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PRESETS, type Preset } from '../../../gateway/catalogue/presets/presets.ts';
import { startSimulator } from '../../../gateway/simulator/simulator.ts';
import { STRICT } from '../../../gateway/simulator/strict/strict.ts';
import { SIGNED_CALL } from '../../../gateway/simulator/wires/chat-wire.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../support/bounded.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { gatheredChat } from '../../support/stream/gathered-chat.ts';

/**
 * Every preset against a simulator that enforces its provider's published rules, in each dialect that a caller may speak: nothing is refused by a rule that a declaration can express.
 */
const it = bounded(test, 120_000);

/** Google's address in the form of OpenAI, which its preset does not name. */
const COMPATIBLE: Preset = {
  ...PRESETS.google,
  baseUrl: `${PRESETS.google.baseUrl}/openai`,
  dialect: 'chat',
  wire: { reasoning_history: 'signature' },
};
/** A provider's slug, what it is declared to be, and the strict provider that it is. */
interface Row {
  readonly slug: string;
  readonly preset: Preset;
  readonly strict: string;
}

const FIRST = Object.entries({ ...PRESETS, 'google-compatible': COMPATIBLE })
  .filter(([name]) => STRICT.has(name))
  .map(([slug, preset]): Row => ({ slug, preset, strict: slug }));
/** Providers with a second wire, which the operator chooses. */
const SECOND = (['openai', 'azure', 'xai'] as const).map(
  (strict): Row => ({
    slug: `${strict}-responses`,
    preset: { ...PRESETS[strict], dialect: 'responses' },
    strict,
  }),
);
const PRESET_ROWS = [...FIRST, ...SECOND];
const NAMES = PRESET_ROWS.map(({ slug }) => slug);

const simulator = await startSimulator({ name: 'sim-a', keep: true });

/** A model that thinks and calls a tool on its own, and one that does neither. */
function modelOf(provider: string, kind: 'tools' | 'fast'): object {
  const every = ['temperature', 'top_p', 'stop', 'seed', 'tools', 'parallel_tool_calls', 'response_format'];
  const thinking = kind === 'tools' ? { reasoning: { type: 'unknown' } } : {};
  return {
    schema_version: '2.4',
    id: `sim/${kind}`,
    slug: `${provider}/${kind}`,
    name: `${provider} ${kind}`,
    created: 1_750_000_000,
    input_modalities: [{ type: 'text', supported_inputs: { max_context_length: { value: 100_000 } } }],
    output_modalities: [
      {
        type: 'text',
        max_length: { value: 1_000 },
        supported_parameters: { ...Object.fromEntries(every.map((name) => [name, { type: 'unknown' }])), ...thinking },
      },
    ],
  };
}

const providers = PRESET_ROWS.map(({ slug, preset, strict }): ProviderDeclaration => {
  const { title, baseUrl, example, dialect, wire } = preset;
  const { pathname } = new URL(baseUrl ?? example ?? '');
  return {
    slug,
    name: title,
    dialect,
    ...(Object.hasOwn(PRESETS, strict) ? { preset: strict } : { wire }),
    baseUrl: `http://127.0.0.1:${simulator.port}/strict/${strict}${pathname.replace(/\/$/, '')}`,
    models: { data: [modelOf(slug, 'tools'), modelOf(slug, 'fast')] },
  };
});

let cluster: TestCluster;
let funded: Funded;
let openai: OpenAI;
let anthropic: Anthropic;
test.before(async () => {
  cluster = await startCluster({ simulators: [], providers, rates: { keyPerMinute: 100_000 } });
  funded = await cluster.fund('100');
  const [baseURL = ''] = cluster.baseUrls;
  openai = new OpenAI({ apiKey: funded.key, baseURL, maxRetries: 0 });
  anthropic = new Anthropic({ authToken: funded.key, baseURL: baseURL.replace(/\/v1$/, ''), maxRetries: 0 });
});
test.after(async () => {
  await cluster.close();
  await simulator.close();
});

type Members = Readonly<Record<string, unknown>>;

/** The members of a request in one dialect, and what its clients send back of an answer with calls. */
interface Caller {
  readonly path: string;
  readonly ordinary: Members;
  readonly asks: Members;
  /** The answer to a streamed request, as its clients put it together. */
  readonly streamed: (members: Members) => Promise<Members>;
  /** The conversation so far, and the result of each call in the answer. */
  readonly next: (asked: Members, answer: Members) => Members;
}

const ASKED = 'Find it. @sim {"reasoning_tokens":3,"tokens":4}';
/** What was said before, by a model that did not think. */
const PLAIN = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello.' },
];
const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } } };

const CALLERS: Readonly<Record<string, Caller>> = {
  chat: {
    path: '/chat/completions',
    ordinary: {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hi', name: 'ann' },
        { role: 'assistant', content: null, refusal: 'no' },
        { role: 'user', content: 'Please' },
      ],
      ...{ temperature: 0.2, top_p: 0.9, seed: 7, stop: ['x'], user: 'u', max_completion_tokens: 50 },
    },
    asks: {
      messages: [...PLAIN, { role: 'user', content: ASKED }],
      tools: [{ type: 'function', function: { name: 'find', parameters: SCHEMA } }],
    },
    streamed: async (members) => {
      const request = { ...members, stream: true } as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
      return { choices: [await gatheredChat(await openai.chat.completions.create(request))] };
    },
    next: ({ messages, ...asked }, { choices }) => {
      const [{ message }] = choices as [{ message: Members }];
      const calls = message.tool_calls as readonly { id: string }[];
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'five' }));
      return { ...asked, messages: [...(messages as object[]), message, ...results] };
    },
  },
  messages: {
    path: '/messages',
    ordinary: {
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hi' }],
      ...{ max_tokens: 50, temperature: 0.2, metadata: { user_id: 'u' }, stop_sequences: ['x'] },
    },
    asks: {
      max_tokens: 50,
      messages: [...PLAIN, { role: 'user', content: ASKED }],
      tools: [{ name: 'find', input_schema: SCHEMA }],
    },
    streamed: async (members) => {
      const message = await anthropic.messages
        .stream(members as unknown as Anthropic.MessageStreamParams)
        .finalMessage();
      return message as unknown as Members;
    },
    next: ({ messages, ...asked }, { content }) => {
      const blocks = content as readonly { type: string; id?: string }[];
      const results = blocks.flatMap(({ type, id }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'five' }] : [],
      );
      const turns = [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ];
      return { ...asked, messages: [...(messages as object[]), ...turns] };
    },
  },
  responses: {
    path: '/responses',
    ordinary: { instructions: 'Be brief.', input: 'Hi', temperature: 0.2, max_output_tokens: 50, user: 'u' },
    asks: {
      input: [...PLAIN, { role: 'user', content: ASKED }],
      tools: [{ type: 'function', name: 'find', parameters: SCHEMA }],
    },
    streamed: async (members) => {
      const stream = openai.responses.stream(members as Parameters<typeof openai.responses.stream>[0]);
      return (await stream.finalResponse()) as unknown as Members;
    },
    next: ({ input, ...asked }, { output }) => {
      const items = output as readonly { type: string; call_id?: string }[];
      const results = items.flatMap(({ type, call_id }) =>
        type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'five' }] : [],
      );
      return { ...asked, input: [...(input as object[]), ...items, ...results] };
    },
  },
};

async function send(path: string, model: string, members: Members): Promise<Members> {
  const response = await fetch(`${cluster.baseUrls[0]}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...members }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${model}: ${response.status} ${text}; sent ${sent()}`);
  return members.stream === true ? {} : JSON.parse(text);
}

/** The same conversation, in which the next answer does not think. */
function withoutThinking(members: Members): Members {
  return JSON.parse(JSON.stringify(members).replace('reasoning_tokens\\":3', 'reasoning_tokens\\":0'));
}

/** The newest body that a provider received. */
const sent = (): string => JSON.stringify(simulator.calls.at(-1)?.body);

/** No call was refused: a second endpoint or attempt may not hide it. */
function assertAccepted(before: number): void {
  const refused = simulator.calls.slice(before).filter(({ status }) => status !== 200);
  assert.equal(
    refused.map(({ provider, status }) => [provider, status]),
    [],
  );
}

/** How a wire with signatures of its own sends back what was thought. */
const NATIVE: Readonly<Record<string, RegExp>> = {
  messages: /"thinking":"r1 r2 r3 ","signature":"c2ltdWxhdGVk"/,
  ollama: /"thinking":"r1 r2 r3 "/,
  cohere: /"(?:tool_plan|thinking)":"r1 r2 r3 "/,
  gemini: new RegExp(`"text":"r1 r2 r3 ","thought":true\\}.*"thoughtSignature":"${SIGNED_CALL}"`),
  responses:
    /"type":"reasoning","id":"rs_[^"]+","summary":\[\{"type":"summary_text","text":"r1 r2 r3 "\}\],"encrypted_content":"c2VhbGVk-/,
  bedrock: /"reasoningText":\{"text":"r1 r2 r3 ","signature":"c2ltdWxhdGVk"/,
};

/** What of the first answer of a preset's model the second request has to contain. */
function demanded({ wire, dialect }: Preset): RegExp {
  const words = 'r1 r2 r3';
  const native = NATIVE[dialect];
  if (native !== undefined) return native;
  switch (wire.reasoning_history) {
    case 'signature':
      return new RegExp(`"thought_signature":"${SIGNED_CALL}"`);
    case 'parts':
      return new RegExp(`"thinking":\\[\\{"type":"text","text":"${words}`);
    case 'details':
      return /"reasoning_details":\[\{"type":"reasoning\.text"/;
    case 'none':
      return /"tool_calls":/;
    case 'auto':
      return new RegExp(`"reasoning":"${words}`);
    default:
      return new RegExp(`"${wire.reasoning_history}":"${words}`);
  }
}

for (const [dialect, { path, ordinary, asks, streamed, next }] of Object.entries(CALLERS)) {
  it(`an ordinary ${dialect} request is accepted by every preset, whole and streamed`, async () => {
    const before = simulator.calls.length;
    for (const name of NAMES) {
      for (const kind of ['tools', 'fast']) {
        await send(path, `${name}/${kind}`, ordinary);
        await send(path, `${name}/${kind}`, { ...ordinary, stream: true });
      }
    }
    assertAccepted(before);
  });

  it(`a tool loop with thinking in ${dialect} is accepted by every preset, its reasoning sent back`, async () => {
    const before = simulator.calls.length;
    for (const { slug: name, preset } of PRESET_ROWS) {
      const answer = await send(path, `${name}/tools`, asks);
      const loop = next(asks, answer);
      await send(path, `${name}/tools`, loop);
      assert.match(sent(), demanded(preset), name);
      await send(path, `${name}/tools`, { ...loop, stream: true });
      await send(path, `${name}/tools`, next(asks, await streamed({ model: `${name}/tools`, ...asks })));
      assert.match(sent(), demanded(preset), `${name}, streamed`);
    }
    assertAccepted(before);
  });

  it(`a history in ${dialect} that began at another provider is accepted by every preset`, async () => {
    const before = simulator.calls.length;
    for (const began of [
      'openrouter',
      'deepseek',
      'google',
      'google-compatible',
      'mistral',
      'openai',
      'openai-responses',
    ]) {
      const loop = next(asks, await send(path, `${began}/tools`, asks));
      for (const name of NAMES) {
        await send(path, `${name}/tools`, loop);
        await send(path, `${name}/fast`, withoutThinking(loop));
      }
    }
    assertAccepted(before);
  });
}

it('every preset has a strict simulator', () => {
  const names = FIRST.map(({ slug }) => slug);
  assert.equal(names.toSorted(), [...Object.keys(PRESETS), 'google-compatible'].toSorted());
});

it('a model that declares no reasoning receives it back once it has reasoned on this node (rule I44)', async () => {
  const asked = { messages: [{ role: 'user', content: 'Hi @sim {"reasoning_tokens":2,"tokens":2}' }] };
  const history = [...asked.messages, { role: 'assistant', content: 'Hi', reasoning: 'hm' }, ...asked.messages];
  await send('/chat/completions', 'together/fast', { messages: history });
  assert.not.match(sent(), /"reasoning":"hm"/);
  await send('/chat/completions', 'together/fast', { messages: history });
  assert.match(sent(), /"reasoning":"hm"/);
});

it('the strict simulators refuse in their own words what no declaration prevents', async () => {
  const refusal = async (name: string, body: object): Promise<string> => {
    const url = `http://127.0.0.1:${simulator.port}/strict/${name}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ model: 'sim/tools', ...body }) });
    return `${response.status} ${await response.text()}`;
  };
  const called = (members: object) => ({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function' }], ...members },
      { role: 'tool', tool_call_id: 'call_1', content: '5' },
    ],
  });
  assert.match(await refusal('deepseek', called({})), /^400 .*reasoning_content.* must be passed back/);
  assert.match(await refusal('deepseek', called({ reasoning: 'hm' })), /^400 /);
  assert.match(await refusal('deepseek', { ...called({}), thinking: { type: 'disabled' } }), /^200 /);
  const plain = { messages: PLAIN, tools: [{ type: 'function', function: { name: 'f' } }] };
  assert.match(await refusal('deepseek', plain), /^400 .*reasoning_content.* must be passed back/);
  assert.match(await refusal('deepseek', { messages: PLAIN }), /^200 /);
  assert.match(await refusal('deepseek', { messages: [{ role: 'developer', content: '' }] }), /^400 .*unknown variant/);
  assert.match(await refusal('moonshot', called({})), /^400 .*missing in assistant tool call message at index 1/);
  assert.match(await refusal('groq', called({ reasoning_content: 'hm' })), /^400 .*'reasoning_content' is unsupported/);
  assert.match(await refusal('groq', { ...called({ reasoning: 'hm' }), model: 'sim/fast' }), /^400 .*'reasoning' is/);
  assert.match(await refusal('groq', { messages: [{ role: 'user', content: 'Hi', name: 'n' }] }), /'name' is unsup/);
  assert.match(await refusal('mistral', called({})), /^400 .*call_1 but must be a-z, A-Z, 0-9, with a length of 9/);
  assert.match(await refusal('mistral', called({ reasoning: 'hm' })), /^422 .*extra_forbidden.*"reasoning"/);
  for (const member of ['stream_options', 'user', 'seed']) {
    assert.match(await refusal('mistral', { messages: [], [member]: 1 }), /^422 .*extra_forbidden/);
  }
  assert.match(await refusal('perplexity', { messages: PLAIN }), /^403 .*Sonar is now the Agent API/);
  assert.match(await refusal('cerebras', called({ reasoning_content: 'hm' })), /^400 .*wrong_api_format/);
  assert.match(await refusal('google-compatible', called({})), /^400 .*missing a thought_signature/);
  assert.match(await refusal('google-compatible', called({ reasoning_content: 'hm' })), /^400 .*Unknown name/);
  assert.match(
    await refusal('openai', called({ reasoning: 'hm' })),
    /^400 .*Unknown parameter: 'messages\[1\]\.reasoning'/,
  );
});

test.run();
