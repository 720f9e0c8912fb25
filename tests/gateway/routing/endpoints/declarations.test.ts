import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { honoured } from '../../../../gateway/routing/honoured.ts';
import { bounded } from '../../../support/bounded.ts';
import { at, evidence, planned, refused, rejected, routed, slugs, turnOf } from '../scene.ts';

const it = bounded(test);

const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] };

it('a failed verification withholds the declaration until a later check passes (rule I111)', () => {
  const settings: readonly (readonly [object, string])[] = [
    [TOOLS, 'tools'],
    [{ structured_outputs: true }, 'structured_outputs'],
    [{ temperature: 1 }, 'temperature'],
  ];
  for (const [body, parameter] of settings) {
    const model = { supportedParameters: [parameter] };
    const refuted = at('refuted', model, evidence({ withheld: [parameter] }));
    assert.equal(slugs(body, [refuted, at('able', model)]), ['able'], parameter);
    assert.equal(refused(body, [refuted]).metadata.rejections, [
      { provider: 'refuted', endpoint: 'refuted', reason: 'require_parameters', member: parameter },
    ]);
    assert.equal(slugs({}, [refuted]), ['refuted'], 'a turn without the parameter is served');
  }
});

it('one endpoint must declare all settings of a turn (rule I110)', () => {
  const endpoints = [at('one', { supportedParameters: ['seed'] }), at('other', { supportedParameters: ['stop'] })];
  assert.is(refused({ seed: 1, stop: 'x' }, endpoints).status, 503);
  assert.equal(slugs({ seed: 1, stop: 'x' }, [...endpoints, at('both', { supportedParameters: ['seed', 'stop'] })]), [
    'both',
  ]);
});

it('a value outside the descriptor of its parameter counts as undeclared (rule I36)', () => {
  const range = { temperature: { type: 'range', min: 0, max: 1 } } as const;
  const narrow = at('narrow', { supportedParameters: ['temperature'] }, { descriptors: range });
  assert.equal(slugs({ temperature: 1 }, [narrow]), ['narrow']);
  assert.equal(slugs({ temperature: 1.5 }, [narrow, at('wide')]), ['wide']);
  const few = { stop: { type: 'array', items: { type: 'unknown' }, maxItems: 1 } } as const;
  const single = at('single', { supportedParameters: ['stop'] }, { descriptors: few });
  assert.equal(slugs({ stop: 'one' }, [single]), ['single']);
  assert.is(refused({ stop: ['one', 'two'] }, [single]).status, 503);
});

it('a JSON Schema is not sent to an endpoint whose structured outputs were refuted (rule I112)', () => {
  const model = { supportedParameters: ['response_format', 'structured_outputs'] };
  const endpoints = [at('refuted', model, evidence({ withheld: ['structured_outputs'] })), at('able', model)];
  const schema = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
  assert.equal(slugs({ response_format: schema }, endpoints), ['able']);
  assert.is(slugs({ response_format: { type: 'json_object' } }, endpoints).length, 2);
});

it('a JSON Schema needs structured outputs, and JSON mode needs response_format (rule I112)', () => {
  const schema = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } };
  const mode = at('mode', { supportedParameters: ['response_format'] });
  const strict = at('strict', { supportedParameters: ['structured_outputs'] });
  assert.equal(slugs(schema, [mode, strict]), ['strict']);
  assert.equal(slugs({ response_format: { type: 'json_object' } }, [mode, strict]), ['mode']);
  const error = refused(schema, [mode]);
  assert.is(error.status, 503);
  assert.equal(error.metadata.rejections, [
    { provider: 'mode', endpoint: 'mode', reason: 'require_parameters', member: 'structured_outputs' },
  ]);
  assert.equal(honoured(turnOf(schema), strict, 4_000), { response_format: true, structured_outputs: true });
});

it('an endpoint below 85 percent of required tool calls receives no tools until it measures above again (rule I129)', () => {
  const rated = (percent: number | null) => at('a', {}, evidence({ toolCallSuccess1d: percent }));
  for (const percent of [null, 85, 100]) assert.equal(slugs(TOOLS, [rated(percent)]), ['a']);
  const error = refused(TOOLS, [rated(84.9)]);
  assert.is((error.metadata.rejections as { reason: string }[])[0]?.reason, 'tool_fidelity');
  assert.equal(slugs({}, [rated(0)]), ['a'], 'other traffic continues');
});

it('call-ready dispatch needs a current positive check (rule I66)', () => {
  const verified = at('verified', {}, evidence({ dispatchVerified: true }));
  const body = { ...TOOLS, stream: true, stream_options: { include_tool_dispatch: true } };
  assert.equal(slugs(body, [at('other'), verified]), ['verified']);
  assert.is(slugs({ ...body, stream: false }, [at('other'), verified]).length, 2);
  const [rejection] = refused(body, [at('other')]).metadata.rejections as { reason: string }[];
  assert.is(rejection?.reason, 'tool_dispatch');
});

it('honoured reports every requested setting by what the endpoint declares (rule I51)', () => {
  const model = { supportedParameters: ['temperature', 'reasoning'] };
  const endpoint = at('a', model, { reasoning: { mandatory: true, budget: { min: 1, max: 9 } } });
  const turn = turnOf({ temperature: 1, enable_thinking: true, reasoning: { enabled: true, max_tokens: 5 } });
  assert.equal(honoured(turn, endpoint, 4_000), {
    temperature: true,
    enable_thinking: false,
    reasoning: true,
    'reasoning.max_tokens': false,
  });
  const painting = turnOf({ modalities: ['image', 'text'] });
  assert.equal(honoured(painting, { ...endpoint, outputModalities: ['text', 'image'] }, 4_000), { modalities: true });
  assert.equal(honoured(turnOf({ modalities: ['text'] }), endpoint, 4_000), {});
  const withheld = { ...endpoint, ...evidence({ withheld: ['temperature'] }) };
  assert.is(honoured(turn, withheld, 4_000).temperature, false);
});

it('an endpoint that can produce no answer, such as one for video clips, does not serve chat', () => {
  const clips = at('clips', {}, { outputModalities: ['video'] });
  assert.equal(routed({}, [clips, at('a')]), ['a']);
  assert.equal(rejected({}, [clips]), [{ provider: 'clips', endpoint: 'clips', reason: 'modality', detail: 'text' }]);
});

it('every endpoint of the requested models is a candidate or has a rejection (rule I130)', () => {
  const endpoints = [
    at('image', {}, { outputModalities: ['video'] }),
    at('ignored'),
    at('int4', { quantization: 'int4' }),
    at('bare', { quantization: 'fp8', supportedParameters: [] }),
    at('small', { quantization: 'fp8', contextLength: 9 }),
    at('b', { quantization: 'fp8', id: 'm/two' }),
    at('a', { quantization: 'fp8' }),
    at('elsewhere', { id: 'm/three' }),
  ];
  const body = { models: ['m/two'], temperature: 1, provider: { ignore: ['ignored'], quantizations: ['fp8'] } };
  const { candidates, rejections } = planned(body, endpoints);
  assert.equal(
    candidates.map(({ endpoint }) => endpoint.provider.slug),
    ['a', 'b'],
  );
  assert.equal(
    rejections.map(({ provider, reason }) => [provider, reason]),
    [
      ['image', 'modality'],
      ['ignored', 'allowed_providers'],
      ['int4', 'quantization'],
      ['bare', 'require_parameters'],
      ['small', 'context_length'],
    ],
  );
});

test.run();
