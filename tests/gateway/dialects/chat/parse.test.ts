import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

const it = bounded(test);
const BASE = { model: 'a/b', messages: [{ role: 'user', content: 'hello' }] };
const TOOL = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };

function refusal(body: unknown): GatewayError {
  return thrownBy(() => parse(body), GatewayError);
}

it('the smallest request becomes the smallest turn (rule I13)', () => {
  assert.equal(parse(BASE), {
    kind: 'conversation',
    models: ['a/b'],
    messages: [{ role: 'user', text: 'hello' }],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
  });
});

const REFUSED: readonly (readonly [string, unknown, RegExp])[] = [
  ['no object', [], /^The request body must be a JSON object$/],
  ['no model', { messages: BASE.messages }, /^model is required$/],
  ['a null model', { ...BASE, model: null }, /^model is required$/],
  ['no model in models', { messages: BASE.messages, models: [] }, /^model is required$/],
  ['a model that is no text', { ...BASE, model: 7 }, /^model must be a string$/],
  ['too many models', { ...BASE, models: Array(21).fill('a/b') }, /^models must have at most 20 items$/],
  ['no messages', { model: 'a/b' }, /^messages is required$/],
  ['null messages', { model: 'a/b', messages: null }, /^messages must be an array$/],
  ['empty messages', { model: 'a/b', messages: [] }, /^messages must have at least 1 item$/],
  [
    'an unknown role',
    { ...BASE, messages: [{ role: 'bob', content: 'x' }] },
    /^messages\[0\]\.role must be one of "system"/,
  ],
  ['a user without content', { ...BASE, messages: [{ role: 'user' }] }, /^messages\[0\]\.content is required$/],
  [
    'content of a wrong kind',
    { ...BASE, messages: [{ role: 'user', content: 5 }] },
    /^messages\[0\]\.content must be a string or an array$/,
  ],
  [
    'a text part without text',
    { ...BASE, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    /^messages\[0\]\.content\[0\]\.text is required$/,
  ],
  [
    'an unknown part',
    { ...BASE, messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
    /^messages\[0\]\.content\[0\]\.type must be one of "text", "image_url"/,
  ],
  [
    'an image for the system',
    { ...BASE, messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    /^messages\[0\]\.content\[0\]/,
  ],
  [
    'a tool result without its call',
    { ...BASE, messages: [{ role: 'tool', content: 'x' }] },
    /^messages\[0\]\.tool_call_id is required$/,
  ],
  [
    'a broken tool call',
    { ...BASE, messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'x' } }] }] },
    /^messages\[0\]\.tool_calls\[0\]\.function\.arguments is required$/,
  ],
  ['temperature', { ...BASE, temperature: 2.1 }, /^temperature must be at most 2$/],
  ['temperature as text', { ...BASE, temperature: '1' }, /^temperature must be a number$/],
  ['an infinite temperature', { ...BASE, temperature: JSON.parse('1e400') }, /^temperature must be a number$/],
  ['top_p 0', { ...BASE, top_p: 0 }, /^top_p must be greater than 0$/],
  ['top_k', { ...BASE, top_k: -2 }, /^top_k must be at least -1$/],
  ['top_k as a fraction', { ...BASE, top_k: 1.5 }, /^top_k must be an integer$/],
  ['min_p', { ...BASE, min_p: 1.1 }, /^min_p must be at most 1$/],
  ['top_a', { ...BASE, top_a: -0.1 }, /^top_a must be at least 0$/],
  ['frequency_penalty', { ...BASE, frequency_penalty: -2.1 }, /^frequency_penalty must be at least -2$/],
  ['presence_penalty', { ...BASE, presence_penalty: 2.1 }, /^presence_penalty must be at most 2$/],
  ['repetition_penalty', { ...BASE, repetition_penalty: 0 }, /^repetition_penalty must be greater than 0$/],
  ['nine stops', { ...BASE, stop: Array(9).fill('x') }, /^stop must have at most 8 items$/],
  ['max_tokens 0', { ...BASE, max_tokens: 0 }, /^max_tokens must be at least 1$/],
  ['max_tokens too large', { ...BASE, max_tokens: 1_048_577 }, /^max_tokens must be at most 1048576$/],
  ['max_completion_tokens', { ...BASE, max_completion_tokens: 0 }, /^max_completion_tokens must be at least 1$/],
  ['a bias out of range', { ...BASE, logit_bias: { 5: 101 } }, /^logit_bias\[5\] must be at most 100$/],
  ['top_logprobs', { ...BASE, top_logprobs: 21 }, /^top_logprobs must be at most 20$/],
  ['n', { ...BASE, n: 2 }, /^n must be 1$/],
  ['store', { ...BASE, store: true }, /^store must be false/],
  ['online', { ...BASE, model: 'a/b:online' }, /:online is not supported$/],
  ['online among models', { ...BASE, models: ['c/d:online'] }, /:online is not supported$/],
  ['user', { ...BASE, user: 'x'.repeat(257) }, /^user must have at most 256 characters$/],
  ['session_id', { ...BASE, session_id: 'x'.repeat(257) }, /^session_id must have at most 256 characters$/],
  ['prompt_cache_key', { ...BASE, prompt_cache_key: 'x'.repeat(257) }, /^prompt_cache_key/],
  [
    'a response format',
    { ...BASE, response_format: { type: 'xml' } },
    /^response_format\.type must be one of "text", "json_object", "json_schema", not "xml"$/,
  ],
  [
    'a schema without schema',
    { ...BASE, response_format: { type: 'json_schema' } },
    /^response_format\.json_schema is required$/,
  ],
  ['too many tools', { ...BASE, tools: Array(1_537).fill(TOOL) }, /^tools must have at most 1536 items$/],
  [
    'a tool name',
    { ...BASE, tools: [{ type: 'function', function: { name: 'a b' } }] },
    /^tools\[0\]\.function\.name must match/,
  ],
  ['a tool that is no function', { ...BASE, tools: [{ type: 'browser' }] }, /^tools\[0\]\./],
  ['a tool choice', { ...BASE, tool_choice: 'maybe' }, /^tool_choice must be one of "none", "auto", "required"/],
  [
    'a required call without tools',
    { ...BASE, tool_choice: 'required' },
    /^tool_choice asks for a tool call and tools has none$/,
  ],
  [
    'a required call of an undeclared tool',
    { ...BASE, tools: [TOOL], tool_choice: { type: 'function', function: { name: 'sub' } } },
    /sub is not among tools$/,
  ],
  ['an effort', { ...BASE, reasoning_effort: 'huge' }, /^reasoning_effort must be one of "none"/],
  ['verbosity', { ...BASE, verbosity: 'loud' }, /^verbosity must be one of/],
  ['route', { ...BASE, route: 'scenic' }, /^route must be one of "fallback", "sort", not "scenic"$/],
  ['a transform', { ...BASE, transforms: ['top-out'] }, /^transforms\[0\] must be "middle-out", not "top-out"$/],
  ['a plugin', { ...BASE, plugins: [{ id: 'web' }] }, /^plugins\[0\]\.id must be "context-compression", not "web"$/],
  ['a modality', { ...BASE, modalities: ['smell'] }, /^modalities\[0\] must be one of/],
  ['speech without a format', { ...BASE, audio: { voice: 'x' } }, /^audio\.format is required$/],
  ['a preference', { ...BASE, provider: { sort: 'beauty' } }, /^provider\.sort must be/],
  ['a price cap', { ...BASE, provider: { max_price: { prompt: '-1' } } }, /^provider\.max_price\.prompt/],
  [
    'a file by id and by data',
    { ...BASE, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'a', file_data: 'b' } }] }] },
    /never both$/,
  ],
];

for (const [what, body, message] of REFUSED) {
  it(`400 names the member: ${what} (rule I15, rule I17, rule I22)`, () => {
    const error = refusal(body);
    assert.is(error.status, 400);
    assert.is(error.type, 'invalid_request');
    assert.match(error.message, message);
  });
}

it('an explicit null at every optional member counts as absent (rule I1)', () => {
  const nulls = Object.fromEntries(
    'models stream store enable_thinking stream_options temperature top_p top_k min_p top_a frequency_penalty presence_penalty repetition_penalty seed stop max_tokens max_completion_tokens logit_bias logprobs top_logprobs response_format structured_outputs tools tool_choice parallel_tool_calls reasoning reasoning_effort include_reasoning verbosity n user session_id prompt_cache_key metadata modalities image_config audio provider route transforms plugins usage'
      .split(' ')
      .map((name) => [name, null]),
  );
  assert.equal(parse({ ...nulls, ...BASE }), parse(BASE));
  const inner = {
    provider: { order: null, only: null, sort: null, max_price: null, zdr: null },
    stream_options: { include_usage: null },
  };
  assert.equal(parse({ ...BASE, ...inner }), parse(BASE));
});

it('null inside metadata, tool parameters and schemas is kept', () => {
  const metadata = { a: null };
  const parameters = { type: 'object', default: null };
  const format = { type: 'json_schema', json_schema: { name: 'x', schema: { const: null } } };
  const turn = parse({
    ...BASE,
    metadata,
    tools: [{ type: 'function', function: { name: 'f', parameters, description: null } }],
    response_format: format,
  });
  assert.equal(turn.metadata, metadata);
  assert.equal(turn.tools, [{ name: 'f', parameters }]);
  assert.equal(turn.responseFormat, format);
});

it('unknown members are accepted and ignored, hostile ones included (rule I2)', () => {
  const body = JSON.parse(
    '{"model":"a/b","messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}],"__proto__":{"stream":true},"constructor":{"prototype":{"polluted":1}},"toString":1,"logit_bias":{"__proto__":1},"metadata":{"__proto__":{"polluted":1}},"provider":{"options":{"__proto__":{"x":1}}}}',
  );
  const turn = parse(body);
  assert.is(turn.stream, false);
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

it('the body is not changed', () => {
  const body = { ...BASE, temperature: null, tools: [TOOL], tool_choice: 'auto', stop: ['a'] };
  const before = structuredClone(body);
  parse(body);
  assert.equal(body, before);
});

it('messages of every role become terms, and text parts are concatenated and kept (rule I37)', () => {
  const parts = (...texts: readonly string[]) => texts.map((text) => ({ type: 'text', text }) as const);
  const turn = parse({
    model: 'a/b',
    messages: [
      { role: 'system', content: parts('be', 'brief') },
      { role: 'developer', content: 'd', name: 'dev' },
      { role: 'user', content: parts('one', 'two') },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
      },
      { role: 'tool', content: 'r', tool_call_id: 'c1' },
      { role: 'assistant', refusal: 'no' },
    ],
  });
  assert.equal(turn.messages, [
    { role: 'system', text: 'be\nbrief', parts: parts('be', 'brief') },
    { role: 'developer', text: 'd', name: 'dev' },
    { role: 'user', text: 'onetwo', parts: parts('one', 'two') },
    { role: 'assistant', text: null, toolCalls: [{ id: 'c1', name: 'f', arguments: '{"a": 1}' }] },
    { role: 'tool', text: 'r', toolCallId: 'c1', toolName: 'f' },
    { role: 'assistant', text: null, refusal: 'no' },
  ]);
});

it('sampling, ceiling, tools and marks reach the turn (rule I13)', () => {
  const turn = parse({
    ...BASE,
    models: ['a/b', 'c/d:nitro', 'c/d:nitro'],
    stream: true,
    temperature: 0,
    stop: 'x',
    top_k: -1,
    seed: 7,
    top_a: 0.5,
    verbosity: 'low',
    reasoning: { effort: 'low' },
    max_tokens: 100,
    max_completion_tokens: 50,
    tools: [TOOL],
    tool_choice: { type: 'function', function: { name: 'add' } },
    parallel_tool_calls: false,
    user: 'u',
    prompt_cache_key: 'cache',
    structured_outputs: true,
    stream_options: { include_usage: true, include_tool_dispatch: true },
  });
  assert.equal(turn.models, ['a/b', 'c/d:nitro']);
  assert.equal(turn.sampling, { temperature: 0, top_k: -1, seed: 7, stop: 'x' });
  assert.equal(turn.reasoning, { effort: 'low' });
  assert.is(turn.completionTokensMax, 50);
  assert.equal(turn.toolChoice, { name: 'add' });
  assert.is(turn.parallelToolCalls, false);
  assert.is(turn.conversation, 'cache');
  assert.equal(turn.requires, ['structured_outputs']);
  assert.is(turn.dispatch, true);
});

it('reasoning_effort overrides reasoning.effort; session_id overrides the cache key, which overrides the header (rule I18, rule I125)', () => {
  assert.is(parse({ ...BASE, reasoning_effort: 'high', reasoning: { effort: 'low' } }).reasoning?.effort, 'high');
  assert.is(parse({ ...BASE, session_id: 's', prompt_cache_key: 'p' }, 'h').conversation, 's');
  assert.is(parse({ ...BASE, prompt_cache_key: 'p' }, 'h').conversation, 'p');
  assert.is(parse(BASE, 'h').conversation, 'h');
});

it('non-text parts are passed to routing by their modality', () => {
  const content = [
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: { url: 'https://x/y.png', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'aaaa', format: 'wav' } },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,aaaa' } },
  ];
  const turn = parse({ ...BASE, messages: [{ role: 'user', content }], modalities: ['text', 'image'] });
  assert.equal(turn.modalities, { input: ['image', 'audio', 'file'], output: ['image'] });
  assert.equal(parse({ ...BASE, audio: { voice: 'v', format: 'mp3' } }).modalities, { input: [], output: ['audio'] });
  assert.equal(parse({ ...BASE, modalities: ['text'] }).modalities, undefined);
});

it('a stored file is a part of its message, and a reference to look up', () => {
  const content = [{ type: 'file', file: { file_id: 'file_1' } }];
  const turn = parse({ ...BASE, messages: [{ role: 'user', content }] });
  const [message] = turn.messages;
  const [part] = message !== undefined && 'parts' in message ? (message.parts ?? []) : [];
  const [reference] = turn.files ?? [];
  assert.equal([reference?.id, reference?.member], ['file_1', 'messages[0].content[0].file.file_id']);
  assert.ok(reference?.part === part);
});

it('provider preferences are parsed, and those that need a vetted endpoint are marked (rule I17)', () => {
  const turn = parse({
    ...BASE,
    store: false,
    route: 'sort',
    provider: {
      order: ['x'],
      only: ['x', 'y'],
      ignore: ['z'],
      allow_fallbacks: false,
      quantizations: ['fp8'],
      sort: { by: 'price', partition: 'model' },
      max_price: { prompt: 1.5, completion: '2' },
      zdr: true,
      data_collection: 'deny',
    },
  });
  assert.equal(turn.preferences, {
    order: ['x'],
    only: ['x', 'y'],
    ignore: ['z'],
    allowFallbacks: false,
    quantizations: ['fp8'],
    sort: 'price',
    priceMax: { prompt: '1.5', completion: '2' },
    partition: 'model',
    zeroRetention: 'provider.zdr',
    noCollection: true,
  });
});

it('a hostile pattern in a tool is forwarded and never executed (rule E36)', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } };
  const turn = parse({ ...BASE, tools: [{ type: 'function', function: { name: 'f', parameters } }] });
  assert.is(turn.tools?.[0]?.parameters, parameters);
});

test.run();
