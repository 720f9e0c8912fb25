import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { parse } from '../../../gateway/dialects/chat/parse.ts';
import { honoured } from '../../../gateway/routing/honoured.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { Rejection } from '../../../gateway/terms/plan.ts';
import { bounded } from '../../support/bounded.ts';
import { board } from '../../support/model/endpoints.ts';
import { at, cheap, dear, measured, p50, planned, refused, slugs } from './scene.ts';

const it = bounded(test);

it('a model that is not in the catalogue is 404 with the requested id (rule I12)', () => {
  const error = refused({ model: 'm/none' }, [at('a')]);
  assert.is(error.status, 404);
  assert.equal(error.metadata, {
    ...{ requested: 'm/none', resolved: null, reason: 'model_not_in_catalogue' },
    suggestions: ['m/one'],
  });
  assert.is(error.message, 'Model m/none is not in the catalogue; similar: m/one');
});

it('a name of another service gets models that answer what was asked for: those for agents, then the most served', () => {
  const plain = { supportedParameters: ['temperature'] };
  const vectors = { outputModalities: ['embeddings'] } as const;
  const endpoints = [
    ...[at('a', { id: 'z/agent' }), at('b', { id: 'm/one', ...plain }), at('c', { id: 'm/two', ...plain })],
    ...[at('d', { id: 'm/two', ...plain }), at('e', { id: 'a/vectors' }, vectors)],
    ...[at('f', { id: 'm/zero', ...plain }), at('g', { id: 'a/down' }, { health: 'down' })],
  ];
  for (const model of ['gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'deepseek-chat']) {
    const { status, message, metadata } = refused({ model }, endpoints);
    assert.is(status, 404);
    assert.is(message, `Model ${model} is not in the catalogue; others are: z/agent, m/two, m/one`);
    assert.equal(metadata.suggestions, ['z/agent', 'm/two', 'm/one']);
  }
  const drawing = refused({ model: 'gpt-4o', modalities: ['image'] }, endpoints);
  assert.equal(drawing.metadata, { requested: 'gpt-4o', resolved: null, reason: 'model_not_in_catalogue' });
});

it('models are tried in their order, and unknown ones are skipped (rule I11)', () => {
  const endpoints = [at('a'), at('b', { id: 'm/two' })];
  assert.equal(slugs({ model: 'x/none', models: ['m/two', 'm/one'] }, endpoints), ['b', 'a']);
  assert.equal(slugs({ model: 'm/one', models: ['m/two'] }, endpoints), ['a', 'b']);
});

it('provider/slug and provider/author/slug denote that provider alone, and a catalogue id takes precedence (rule I8)', () => {
  const endpoints = [at('a'), at('b'), at('c', { id: 'a/one' })];
  assert.equal(slugs({ model: 'b/one' }, endpoints), ['b']);
  assert.equal(slugs({ model: 'a/m/one' }, endpoints), ['a']);
  assert.equal(slugs({ model: 'a/one' }, endpoints), ['c']);
  assert.is(refused({ model: 'z/m/one' }, endpoints).status, 404);
});

it('suffixes sort and filter (rule I9)', () => {
  const fast = measured({ throughput30m: p50(100) });
  const free = { pricing: { prompt: '0', completion: '0.0' } };
  const endpoints = [at('dear', dear, fast), at('cheap', cheap), at('free', free), at('unpriced', { pricing: {} })];
  assert.equal(slugs({ model: 'm/one:floor' }, endpoints), ['free', 'cheap', 'dear', 'unpriced']);
  assert.is(slugs({ model: 'm/one:nitro' }, endpoints)[0], 'dear');
  assert.equal(slugs({ model: 'm/one:free' }, endpoints), ['free']);
  assert.is(slugs({ model: 'm/one:exacto' }, endpoints).length, 4);
  assert.is(refused({ model: 'm/one:free' }, [at('dear', dear)]).status, 503);
  assert.is(refused({ model: 'm/one:huge' }, endpoints).status, 404);
  assert.equal(
    slugs({ model: 'm/one:free' }, [at('a', { id: 'm/one:free' })]),
    ['a'],
    'a catalogue id may contain a colon',
  );
});

it('every optional setting needs a declaration (rule I110)', () => {
  const settings: readonly (readonly [object, string])[] = [
    [{ temperature: 1 }, 'temperature'],
    [{ top_k: -1 }, 'top_k'],
    [{ stop: 'x' }, 'stop'],
    [{ seed: 1 }, 'seed'],
    [{ logprobs: true }, 'logprobs'],
    [{ reasoning: { effort: 'low' } }, 'reasoning_effort'],
    [{ reasoning: { enabled: true } }, 'reasoning'],
    [{ structured_outputs: true }, 'structured_outputs'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'required' }, 'tools'],
  ];
  for (const [body, parameter] of settings) {
    const bare = at('bare', { supportedParameters: [] });
    const error = refused(body, [bare]);
    assert.is(error.status, 503, parameter);
    assert.is(error.type, 'provider_overloaded');
    assert.equal(error.metadata.rejections, [
      { provider: 'bare', endpoint: 'bare', reason: 'require_parameters', member: parameter },
    ]);
    const reasoning = { mandatory: true, efforts: ['low'] } as const;
    assert.equal(slugs(body, [bare, at('able', { supportedParameters: [parameter] }, { reasoning })]), ['able']);
  }
});

it('advisory settings and settings omitted upstream need no declaration', () => {
  const body = {
    enable_thinking: true,
    parallel_tool_calls: false,
    top_a: 0.1,
    verbosity: 'low',
    include_reasoning: true,
    user: 'u',
    max_tokens: 5,
    n: 1,
    response_format: { type: 'text' },
    structured_outputs: false,
    metadata: {},
    logit_bias: null,
  };
  assert.equal(slugs(body, [at('bare', { supportedParameters: [] })]), ['bare']);
});

it('only, ignore, order and allow_fallbacks (rule I28)', () => {
  const endpoints = [at('a', cheap), at('b', cheap), at('c', { ...cheap, quantization: 'fp8' })];
  assert.equal(slugs({ provider: { only: ['b'] } }, endpoints), ['b']);
  assert.equal(slugs({ provider: { ignore: ['b', 'c/fp8'] } }, endpoints), ['a']);
  assert.equal(slugs({ provider: { order: ['c', 'a'], allow_fallbacks: false } }, endpoints), ['c', 'a']);
  assert.equal(slugs({ provider: { order: ['c/fp8', 'b'] } }, endpoints), ['c', 'b', 'a']);
  assert.is(slugs({ provider: { allow_fallbacks: false } }, endpoints).length, 1);
  const error = refused({ provider: { only: ['nobody'] } }, endpoints);
  assert.is(error.status, 503);
  assert.is((error.metadata.rejections as unknown[]).length, 3);
});

it('quantizations, price caps and sort (rule I33)', () => {
  const endpoints = [
    at('cheap', { ...cheap, quantization: 'int4' }, measured({ ttft30m: p50(2) })),
    at('dear', dear, measured({ ttft30m: p50(1) })),
  ];
  assert.equal(slugs({ provider: { quantizations: ['unknown'] } }, endpoints), ['dear']);
  assert.equal(
    slugs({ provider: { max_price: { prompt: '1' } } }, endpoints),
    ['cheap'],
    'a price equal to the cap passes',
  );
  assert.is(refused({ provider: { max_price: { completion: '0.999999' } } }, endpoints).status, 503);
  assert.equal(slugs({ provider: { sort: 'price' } }, endpoints), ['cheap', 'dear']);
  assert.equal(slugs({ provider: { sort: 'latency' } }, endpoints), ['dear', 'cheap']);
});

it('partition none orders the endpoints of all models together (rule I33)', () => {
  const endpoints = [at('a', dear), at('b', { id: 'm/two', ...cheap })];
  const body = { models: ['m/two'], provider: { sort: { by: 'price', partition: 'none' } } };
  assert.equal(slugs(body, endpoints), ['b', 'a']);
  assert.equal(slugs({ ...body, provider: { sort: 'price' } }, endpoints), ['a', 'b']);
});

it('endpoints that are down come last, degraded ones after healthy ones (rule I128)', () => {
  const endpoints = [
    at('down', cheap, { health: 'down' }),
    at('degraded', cheap, { health: 'degraded' }),
    at('well', dear),
  ];
  for (const seed of [0, 0.3, 0.99]) assert.equal(slugs({}, endpoints, seed), ['well', 'degraded', 'down']);
});

it('an endpoint of lower uptime comes later, unless the difference is small', () => {
  const endpoints = [at('poor', cheap, measured({ uptime30m: 90 })), at('good', dear, measured({ uptime30m: 99 }))];
  for (const seed of [0, 0.3, 0.99]) assert.equal(slugs({}, endpoints, seed), ['good', 'poor']);
});

it('equals share the load, and cheaper ones get a larger share (rule I128)', () => {
  const first = (endpoints: readonly Endpoint[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (let at = 0; at < 2_000; at++) {
      const slug = slugs({}, endpoints, at / 2_000)[0] as string;
      counts[slug] = (counts[slug] ?? 0) + 1;
    }
    return counts;
  };
  const equal = first([at('a', cheap), at('b', cheap)]);
  assert.ok(Math.abs((equal.a ?? 0) - 1_000) < 150, JSON.stringify(equal));
  const unequal = first([at('a', cheap), at('b', { pricing: { prompt: '0.000002', completion: '0.000002' } })]);
  assert.ok(Math.abs((unequal.a ?? 0) - 1_600) < 150, JSON.stringify(unequal));
});

it('a conversation stays with the endpoint that served it, and otherwise has the same order on every node', () => {
  const endpoints = [at('a', cheap), at('b', cheap), at('c', cheap)];
  const body = { session_id: 'talk' };
  const ranked = slugs(body, endpoints, 0.1);
  assert.equal(slugs(body, endpoints, 0.9), ranked);
  const b = endpoints[1] as Endpoint;
  assert.is(slugs(body, endpoints, 0.1, b.id)[0], 'b');
  const down = endpoints.map((each) => (each.id === b.id ? { ...each, health: 'down' as const } : each));
  assert.is(slugs(body, down, 0.1, b.id).at(-1), 'b');
  const firsts = new Set(Array.from({ length: 40 }, (_, n) => slugs({ session_id: `talk-${n}` }, endpoints)[0]));
  assert.is(firsts.size, 3);
});

it('the ceiling is the requested one, lowered to the endpoint and trimmed to its window (rule I117)', () => {
  const ceiling = (body: object, model: object) => planned(body, [at('a', model)]).candidates[0]?.completionTokensMax;
  assert.is(ceiling({ max_tokens: 10 }, { contextLength: 8_192, maxCompletionTokens: 100 }), 10);
  assert.is(ceiling({ max_tokens: 1_000 }, { contextLength: 8_192, maxCompletionTokens: 100 }), 100);
  assert.is(ceiling({}, { contextLength: 8_192, maxCompletionTokens: 100 }), 100);
  const trimmed = ceiling({ max_tokens: 1_000 }, { contextLength: 200, maxCompletionTokens: 1_000 }) as number;
  assert.ok(trimmed > 100 && trimmed < 190, String(trimmed));
});

it('endpoints that can emit the requested ceiling are preferred, and others serve only without them (rule I117)', () => {
  const endpoints = [
    at('short', { ...cheap, maxCompletionTokens: 50 }),
    at('long', { ...dear, maxCompletionTokens: 500 }),
  ];
  for (const seed of [0, 0.5, 0.99]) assert.equal(slugs({ max_tokens: 400 }, endpoints, seed), ['long', 'short']);
  assert.equal(slugs({ max_tokens: 400 }, [endpoints[0] as Endpoint]), ['short']);
});

it('a prompt too long for every window is 400 naming the context; too long for one is a rejection (rule I118)', () => {
  const content = 'word '.repeat(2_000);
  const body = { messages: [{ role: 'user', content }] };
  const small = at('small', { contextLength: 1_000 });
  const error = refused(body, [small]);
  assert.is(error.status, 400);
  assert.is(error.type, 'context_length_exceeded');
  const passed = planned(body, [small, at('large', { contextLength: 100_000 })]);
  assert.is(passed.candidates.length, 1);
  assert.is(passed.rejections[0]?.reason, 'context_length');
  assert.is(refused(body, [at('capped', { contextLength: 100_000, maxPromptTokens: 100 })]).status, 400);
});

it('a modality that no endpoint accepts is 503 naming it (rule I122)', () => {
  const content = [{ type: 'image_url', image_url: { url: 'https://x/y.png' } }];
  const error = refused({ messages: [{ role: 'user', content }] }, [at('a')]);
  assert.is(error.status, 503);
  assert.match(error.message, /image/);
  assert.match(refused({ modalities: ['text', 'audio'] }, [at('a')]).message, /audio/);
});

it('a constraint that needs a vetted endpoint is never silently dropped (rule I31)', () => {
  const bodies = [{ store: false }, { provider: { zdr: true } }, { provider: { data_collection: 'deny' } }];
  for (const body of bodies) {
    const error = refused(body, [at('a')]);
    assert.is(error.status, 503);
    assert.is((error.metadata.rejections as { reason: string }[])[0]?.reason.split(':')[0], 'data_policy');
  }
});

it('passthrough parameters of the serving provider are refused by name; those of others are not read (rule I35)', () => {
  const endpoints = [at('a', cheap)];
  const error = refused({ provider: { options: { a: { mirostat: 2 } } } }, endpoints);
  assert.is(error.status, 400);
  assert.match(error.message, /provider\.options\.a\.mirostat/);
  assert.equal(slugs({ provider: { options: { b: { mirostat: 2 }, a: {} } } }, endpoints), ['a']);
});

it('honoured reports for every requested setting whether the endpoint declares it (rule I51)', () => {
  const turn = parse({
    model: 'm/one',
    messages: [{ role: 'user', content: 'x' }],
    temperature: 1,
    enable_thinking: true,
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'auto',
    parallel_tool_calls: true,
  });
  assert.equal(honoured(turn, at('a', { supportedParameters: ['temperature', 'tools'] }), 4_000), {
    temperature: true,
    enable_thinking: false,
    tools: true,
    tool_choice: true,
    parallel_tool_calls: false,
  });
});

/** Deeply frozen: any write to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

it('a plan does not modify its input, and accounts for every endpoint of the requested models (rule I130)', () => {
  const chance = fc.record({
    health: fc.constantFrom('healthy', 'degraded', 'down', 'unknown'),
    quantization: fc.constantFrom(null, 'fp8', 'int4'),
    contextLength: fc.constantFrom(20, 200, 100_000),
    supportedParameters: fc.subarray(['temperature', 'tools', 'seed']),
    model: fc.constantFrom('m/one', 'm/two', 'm/three'),
  });
  const body = fc.record(
    {
      models: fc.subarray(['m/two', 'm/three', 'm/none']),
      temperature: fc.constant(1),
      seed: fc.constant(7),
      session_id: fc.constant('talk'),
      max_tokens: fc.constantFrom(1, 50, 5_000),
      transforms: fc.constant(['middle-out']),
      provider: fc.record(
        {
          only: fc.subarray(['p0', 'p1', 'p2/fp8', 'p3']),
          ignore: fc.subarray(['p0', 'p1/fp8']),
          order: fc.subarray(['p2', 'p1/int4', 'p0']),
          allow_fallbacks: fc.boolean(),
          quantizations: fc.subarray(['fp8', 'unknown'], { minLength: 1 }),
          sort: fc.constantFrom('price', 'latency', { by: 'throughput', partition: 'none' }),
          options: fc.constantFrom({ nobody: { x: 1 } }, { p1: {} }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.array(chance, { minLength: 1, maxLength: 6 }),
      body,
      fc.double({ min: 0, max: 0.999 }),
      (made, members, seed) => {
        const endpoints = made.map((more, nth) => {
          const tag = more.quantization === null ? `p${nth}` : `p${nth}/${more.quantization}`;
          return frozen({ ...at(`p${nth}`, {}, more as Partial<Endpoint>), tag });
        });
        const turn = frozen(
          parse({ model: 'm/one', messages: [{ role: 'user', content: 'hello '.repeat(30) }], ...members }),
        );
        const expected = endpoints.filter(({ model }) => turn.models.includes(model)).map(({ tag }) => tag);
        let found: { candidates: readonly { endpoint: Endpoint }[]; rejections: readonly Rejection[] };
        try {
          found = plan(turn, board(...endpoints), seed);
        } catch (error) {
          assert.instance(error, GatewayError);
          const { status, metadata } = error as GatewayError;
          if (status === 404) return assert.equal(expected, []);
          found = { candidates: [], rejections: metadata.rejections as readonly Rejection[] };
        }
        const reported = [
          ...found.candidates.map(({ endpoint }) => endpoint.tag),
          ...found.rejections.map(({ endpoint }) => endpoint),
        ];
        assert.equal(reported.sort(), expected.sort());
      },
    ),
    { numRuns: 500 },
  );
});

it('an unchanged board is indexed once, a changed one again', () => {
  const endpoints = board(at('a'), at('b'));
  let walks = 0;
  const values = endpoints.values.bind(endpoints);
  Object.defineProperty(endpoints, 'values', {
    value: () => {
      walks++;
      return values();
    },
  });
  const turn = parse({ model: 'm/one', messages: [{ role: 'user', content: 'hello' }] });
  for (let n = 0; n < 5; n++) plan(turn, endpoints, 0.5);
  assert.is(walks, 1);
  assert.equal(plan(turn, board(at('c')), 0.5).candidates.length, 1);
});

it('a rejection names its model if several were requested, since a provider has one tag for all models', () => {
  const endpoints = [at('a', { contextLength: 1 }), at('b', { id: 'm/two' })];
  const { rejections } = planned({ models: ['m/one', 'm/two'] }, endpoints);
  assert.equal(
    rejections.map(({ endpoint, model }) => `${endpoint} ${model}`),
    ['a m/one'],
  );
});

test.run();
