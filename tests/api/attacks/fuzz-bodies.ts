import fc from 'fast-check';

/**
 * Bodies for the fuzz test: valid ones, valid ones with one error, and arbitrary values. A body with `stream` may be
 * answered with a stream. No body tells a simulated provider to fail, so the only allowed 5xx is the refusal of a
 * request that no endpoint can serve.
 */
export type Route = '/chat/completions' | '/completions' | '/messages';

const anything = fc.jsonValue({ maxDepth: 3 });
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 40 }));
/** Nearly always in range: a member out of range hides all others. */
const between = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.double({ min, max, noNaN: true }) },
    { weight: 8, arbitrary: fc.integer({ min: Math.ceil(min), max: Math.floor(max) }) },
    { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })) },
  );
const count = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 20, arbitrary: fc.integer({ min, max }) }, { weight: 1, arbitrary: fc.double({ noNaN: true }) });
/** Mostly valid values, occasionally arbitrary ones. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything });
const id = fc.constantFrom(
  'sim/fast',
  'sim/tools',
  'sim/small',
  'sim-a/sim/fast',
  'sim/fast:nitro',
  'sim/fast:floor',
  'no/such',
);

const part = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('text'), text }) },
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: fc.oneof(fc.webUrl(), fc.constant('data:image/png;base64,iVBORw0K'), text) }),
  }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: fc.base64String(), format: fc.constantFrom('wav', 'mp3', 'x') }),
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record({ filename: text, file_data: text, file_id: text }, { requiredKeys: [] }),
  }),
  fc.record({ type: fc.constantFrom('video_url', 'audio_url', 'other'), url: anything }),
);
const call = fc.record({
  id: text,
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: text }),
});
const message = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'developer'),
    content: text,
  }),
  fc.record({
    role: fc.constant('user'),
    content: fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 })),
  }),
  fc.record(
    {
      role: fc.constant('assistant'),
      content: fc.oneof(text, fc.constant(null)),
      tool_calls: fc.array(call, { maxLength: 2 }),
      reasoning: text,
    },
    { requiredKeys: ['role'] },
  ),
  fc.record({ role: fc.constant('tool'), content: text, tool_call_id: fc.string({ minLength: 1 }) }),
);
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name: fc.oneof(fc.constantFrom('weather', 'a-b'), text), parameters: anything }),
});

/** Members of both routes, mostly in range. */
const SHARED = {
  models: fc.array(id, { maxLength: 4 }),
  stream: fc.boolean(),
  temperature: between(0, 2),
  top_p: between(0.01, 1),
  top_k: count(-1, 50),
  frequency_penalty: between(-2, 2),
  presence_penalty: between(-2, 2),
  repetition_penalty: between(0.1, 2),
  seed: count(-100, 2 ** 31),
  stop: fc.oneof(text, fc.array(text, { maxLength: 8 })),
  max_tokens: count(1, 64),
  user: text,
  provider: fc.oneof(
    fc.record(
      {
        only: fc.array(fc.constantFrom('sim-a', 'sim-b', 'nobody')),
        order: fc.array(text, { maxLength: 3 }),
        sort: mostly(fc.constantFrom('price', 'throughput', 'latency', 'exacto')),
        allow_fallbacks: fc.boolean(),
        max_price: fc.record(
          { prompt: between(0, 100), completion: fc.constantFrom('0.5', '1e3', '100') },
          { requiredKeys: [] },
        ),
        quantizations: fc.array(fc.constantFrom('fp8', 'unknown', 'x')),
        options: anything,
      },
      { requiredKeys: [] },
    ),
    anything,
  ),
  route: mostly(fc.constantFrom('fallback', 'sort')),
};

const CHAT = {
  model: id,
  messages: fc.array(message, { minLength: 1, maxLength: 5 }),
  ...SHARED,
  tools: fc.array(tool, { maxLength: 3 }),
  tool_choice: mostly(fc.constantFrom('none', 'auto', 'required')),
  parallel_tool_calls: fc.boolean(),
  response_format: mostly(fc.record({ type: fc.constantFrom('text', 'json_object') })),
  reasoning: fc.oneof(
    fc.record({ effort: fc.constantFrom('none', 'low', 'max'), max_tokens: count(1, 100) }, { requiredKeys: [] }),
    anything,
  ),
  reasoning_effort: mostly(fc.constant('low')),
  modalities: fc.array(fc.constantFrom('text', 'image', 'audio'), { minLength: 1, maxLength: 3 }),
  logit_bias: fc.dictionary(fc.nat().map(String), between(-100, 100), { maxKeys: 3 }),
  logprobs: fc.boolean(),
  top_logprobs: count(0, 20),
  stream_options: fc.record({ include_usage: fc.boolean(), include_tool_dispatch: fc.boolean() }, { requiredKeys: [] }),
  session_id: text,
  metadata: mostly(fc.dictionary(text, anything, { maxKeys: 3 })),
  transforms: fc.array(fc.constant('middle-out'), { maxLength: 2 }),
  plugins: fc.array(fc.record({ id: fc.constant('context-compression') })),
  n: mostly(fc.constant(1)),
};

const COMPLETION = { model: id, prompt: text, ...SHARED, logprobs: count(0, 5), echo: fc.boolean(), suffix: text };

const mark = fc.option(fc.record({ type: fc.constant('ephemeral'), ttl: mostly(fc.constantFrom('5m', '1h')) }));
const source = fc.oneof(
  fc.record({ type: fc.constant('url'), url: fc.oneof(fc.webUrl(), text) }),
  fc.record({
    type: fc.constant('base64'),
    media_type: mostly(fc.constantFrom('image/png', 'application/pdf')),
    data: fc.base64String(),
  }),
  fc.record({ type: fc.constant('file'), file_id: text }),
);
const textBlock = fc.record(
  { type: fc.constant('text'), text, cache_control: mark },
  { requiredKeys: ['type', 'text'] },
);
const mediaBlock = fc.record({ type: fc.constantFrom('image', 'document', 'other'), source });
const heldBlocks = fc.oneof(text, fc.array(fc.oneof(textBlock, mediaBlock), { maxLength: 2 }), anything);
const holdingBlock = fc.oneof(
  fc.record({
    type: fc.constant('search_result'),
    source: text,
    title: text,
    content: heldBlocks,
    cache_control: mark,
  }),
  fc.record({
    type: fc.constant('document'),
    source: fc.record({ type: fc.constant('content'), content: heldBlocks }),
    citations: fc.oneof(fc.record({ enabled: fc.boolean() }), anything),
  }),
);
const userBlock = fc.oneof(
  { weight: 6, arbitrary: textBlock },
  mediaBlock,
  holdingBlock,
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: text,
    content: fc.oneof(heldBlocks, fc.array(holdingBlock, { maxLength: 2 })),
    is_error: fc.boolean(),
  }),
);
const assistantBlock = fc.oneof(
  { weight: 4, arbitrary: textBlock },
  fc.record({
    type: fc.constant('tool_use'),
    id: text,
    name: text,
    input: fc.oneof(fc.object({ maxDepth: 2 }), anything),
  }),
  fc.record({
    type: fc.constant('thinking'),
    thinking: text,
    signature: fc.oneof(
      text,
      text.map((each) => `troupe1.${Buffer.from(each).toString('base64url')}`),
    ),
  }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
);
const turn = fc.oneof(
  fc.record({
    role: fc.constant('user'),
    content: fc.oneof(text, fc.array(userBlock, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, fc.array(assistantBlock, { maxLength: 3 })) }),
  fc.record({ role: fc.constant('system'), content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })) }),
);

const MESSAGES = {
  model: id,
  max_tokens: count(1, 64),
  messages: fc.array(turn, { minLength: 1, maxLength: 5 }),
  models: SHARED.models,
  provider: SHARED.provider,
  route: SHARED.route,
  stream: fc.boolean(),
  system: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
  temperature: between(0, 2),
  top_p: between(0, 1),
  top_k: count(0, 50),
  stop_sequences: fc.array(text, { maxLength: 8 }),
  tools: fc.array(
    fc.record(
      {
        type: mostly(fc.constantFrom('custom', 'web_search_20250305')),
        name: fc.oneof(fc.constantFrom('weather', 'a-b'), text),
        input_schema: fc.oneof(fc.object(), anything),
        cache_control: mark,
      },
      { requiredKeys: ['name'] },
    ),
    { maxLength: 3 },
  ),
  tool_choice: mostly(fc.record({ type: fc.constantFrom('none', 'auto', 'any', 'tool'), name: text })),
  metadata: anything,
  thinking: anything,
  cache_control: mark,
  output_config: anything,
  modalities: fc.array(fc.constantFrom('text', 'image', 'audio'), { maxLength: 3 }),
  transforms: fc.array(fc.constant('middle-out'), { maxLength: 2 }),
};

/** The members of each route, and those that a body needs. */
const MEMBERS: Readonly<Record<Route, readonly [Record<string, fc.Arbitrary<unknown>>, readonly string[]]>> = {
  '/chat/completions': [CHAT, ['model', 'messages']],
  '/completions': [COMPLETION, ['model', 'prompt']],
  '/messages': [MESSAGES, ['model', 'messages', 'max_tokens']],
};

/** Replaces one member with an arbitrary value, including null. */
function withOneInvalid(body: fc.Arbitrary<Record<string, unknown>>, names: readonly string[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(body, fc.constantFrom(...names), anything)
    .map(([right, name, value]) => ({ ...right, [name]: value }));
}

/** Usually left out: a body with every member is refused for its first invalid one. */
function seldom(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

/** Texts of a body, JSON or not. */
export function bodies(route: Route): fc.Arbitrary<string> {
  const [members, needed] = MEMBERS[route];
  const some = Object.entries(members).map(([name, value]) => [name, needed.includes(name) ? value : seldom(value)]);
  const right = fc.record(Object.fromEntries(some)) as fc.Arbitrary<Record<string, unknown>>;
  const whole = fc.oneof(
    { weight: 5, arbitrary: right },
    { weight: 4, arbitrary: withOneInvalid(right, Object.keys(members)) },
    { weight: 1, arbitrary: fc.record(members, { requiredKeys: [] }) },
    { weight: 1, arbitrary: anything },
  );
  const json = whole.map((value) => JSON.stringify(value) ?? 'undefined');
  const broken = fc
    .tuple(json, fc.nat(200), fc.string({ maxLength: 4 }))
    .map(([body, at, put]) => body.slice(0, at) + put + body.slice(at + 1));
  return fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: broken }, { weight: 1, arbitrary: text });
}
