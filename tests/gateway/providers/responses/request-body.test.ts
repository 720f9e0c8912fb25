import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { responsesAdapter } from '../../../../gateway/providers/responses/adapter.ts';
import type { ReasoningDetail, Turn, TurnMessage } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);

const TARGET = { dialect: 'responses', baseUrl: 'https://alpha.example/v1', upstreamId: 'gpt-6' } as const;
const ENDPOINT = endpointOf({
  target: TARGET,
  supportedParameters: ['temperature', 'tools', 'parallel_tool_calls', 'logprobs', 'top_logprobs', 'reasoning_effort'],
  reasoning: { efforts: ['low', 'medium', 'high', 'none'], mandatory: false },
});

type Body = Readonly<Record<string, unknown>>;

function bodyOf(requested: Partial<Turn>, endpoint: Endpoint = ENDPOINT): Body {
  return JSON.parse(String(responsesAdapter.writer(endpoint)(turnOf(requested), 500))) as Body;
}

function withWire(wire: NonNullable<Endpoint['target']['wire']>): Endpoint {
  return { ...ENDPOINT, target: { ...TARGET, wire } };
}

const format = 'openai-responses-v1';
const summary = (text: string, id: string): ReasoningDetail => ({
  type: 'reasoning.summary',
  summary: text,
  format,
  id,
});
const sealed = (data: string, id: string): ReasoningDetail => ({ type: 'reasoning.encrypted', data, format, id });
const calls = [
  { id: 'call_1', name: 'find', arguments: '{"n":1}' },
  { id: 'call_2', name: 'find', arguments: '' },
];
const asked: TurnMessage = { role: 'user', text: 'Go' };

function inputOf(...messages: readonly TurnMessage[]): readonly Body[] {
  return bodyOf({ messages: [asked, ...messages] }).input as readonly Body[];
}

it('a body stores nothing and asks for encrypted reasoning where the endpoint reasons', () => {
  const { model, input, instructions, max_output_tokens, store, stream, ...rest } = bodyOf({
    messages: [{ role: 'system', text: 'Be brief.' }, { role: 'developer', text: 'Be kind.' }, asked],
    reasoning: { effort: 'high' },
  });
  assert.is(model, 'gpt-6');
  assert.equal(input, [{ type: 'message', role: 'user', content: 'Go' }]);
  assert.is(instructions, 'Be brief.\n\nBe kind.');
  assert.equal([max_output_tokens, store, stream], [500, false, false]);
  assert.equal(rest, {
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto' },
  });
  const plain = bodyOf({}, { ...ENDPOINT, reasoning: null });
  assert.equal(Object.keys(plain).sort(), ['input', 'max_output_tokens', 'model', 'store', 'stream']);
});

it('no declaration and no passthrough makes a provider store an answer (rule I149)', () => {
  const options = { alpha: { store: true, service_tier: 'flex' } };
  const passthrough = { store: { type: 'unknown' }, service_tier: { type: 'unknown' } } as const;
  const endpoint: Endpoint = { ...withWire({ omit: ['store'] }), passthrough };
  const body = bodyOf({ preferences: { allowFallbacks: true, options } }, endpoint);
  assert.equal([body.store, body.service_tier], [false, 'flex']);
});

it('reasoning goes back as items before what followed it, with its summary (rule I149)', () => {
  const details = [
    summary('One', 'rs_1'),
    summary('Two', 'rs_1'),
    sealed('alpha:AAA', 'rs_1'),
    sealed('alpha:BBB', 'rs_2'),
  ];
  const [, ...items] = inputOf(
    { role: 'assistant', text: 'I look.', reasoningDetails: details, toolCalls: calls },
    { role: 'tool', toolCallId: 'call_1', text: '5' },
    { role: 'tool', toolCallId: 'call_2', text: 'none', isError: true },
  );
  assert.equal(items, [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One' },
        { type: 'summary_text', text: 'Two' },
      ],
      encrypted_content: 'AAA',
    },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'BBB' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"n":1}' },
    { type: 'function_call', call_id: 'call_2', name: 'find', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: '5' },
    { type: 'function_call_output', call_id: 'call_2', output: 'Error: none' },
  ]);
});

it('reasoning between calls keeps its place, and at the end of an answer it goes before the last item', () => {
  const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]];
  const reasoningDetails = [sealed('alpha:AAA', 'rs_1'), sealed('alpha:BBB', 'rs_2'), sealed('alpha:CCC', 'rs_3')];
  const [one, two, three] = reasoningDetails.map((detail) => ({ type: 'reasoning', detail }) as const);
  if (!one || !two || !three) throw new Error('three entries');
  const blocks = [one, { type: 'call', call: first } as const, two, { type: 'call', call: second } as const, three];
  const items = inputOf({ role: 'assistant', text: null, reasoningDetails, toolCalls: [first, second], blocks });
  assert.equal(
    items.slice(1).map(({ id, call_id: callId }) => id ?? callId),
    ['rs_1', 'call_1', 'rs_2', 'rs_3', 'call_2'],
  );
});

it('reasoning of another provider, unfinished reasoning and reasoning alone stay behind and are reported (rule I51)', () => {
  const lost = (message: Partial<Extract<TurnMessage, { role: 'assistant' }>>): readonly string[] => {
    const messages = [asked, { role: 'assistant', text: null, ...message } as const, asked];
    const input = bodyOf({ messages }).input as readonly Body[];
    assert.is(input.filter(({ type }) => type === 'reasoning').length, 0);
    return responsesAdapter.leftOut(turnOf({ messages }), ENDPOINT, 500);
  };
  const text = 'Yes';
  assert.equal(lost({ text, reasoningDetails: [sealed('beta:AAA', 'rs_1')] }), ['messages.reasoning']);
  assert.equal(lost({ text, reasoningDetails: [sealed('AAA', 'rs_1')] }), ['messages.reasoning']);
  assert.equal(lost({ text, reasoningDetails: [summary('One', 'rs_1')] }), ['messages.reasoning']);
  const other = { type: 'reasoning.encrypted', data: 'alpha:A', format: 'google-gemini-v1' } as const;
  assert.equal(lost({ text, reasoningDetails: [other] }), ['messages.reasoning']);
  assert.equal(lost({ text, reasoning: 'Hm' }), ['messages.reasoning']);
  assert.equal(lost({ reasoningDetails: [sealed('alpha:AAA', 'rs_1')] }), ['messages.reasoning']);
});

it('pictures and documents go in inline and by address, in results of tools too', () => {
  const picture = {
    type: 'image',
    source: { kind: 'data', mediaType: 'image/png', base64: 'AAAA' },
    detail: 'low',
  } as const;
  const pdf = { kind: 'data', mediaType: 'application/pdf', base64: 'BBBB' } as const;
  const url = { kind: 'url', url: 'https://p.test/a.pdf' } as const;
  const parts = [picture, { type: 'file', source: pdf }, { type: 'file', source: url }] as const;
  const items = inputOf(
    { role: 'assistant', text: null, toolCalls: calls.slice(0, 1) },
    { role: 'tool', toolCallId: 'call_1', text: '', parts },
  );
  assert.equal((items.at(-1) as Body).output, [
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
    { type: 'input_file', filename: 'document', file_data: 'data:application/pdf;base64,BBBB' },
    { type: 'input_file', file_url: 'https://p.test/a.pdf' },
  ]);
  const sound = { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', base64: 'AAAA' } } as const;
  const failure = failureOf(() => inputOf({ role: 'user', text: '', parts: [sound] }));
  assert.equal(failure.refusal?.code, 'unsupported_parameter');
});

it('tools say that they are not strict, choices and the format have the members of this dialect', () => {
  const schema = { type: 'object', properties: {} };
  const body = bodyOf({
    tools: [{ name: 'find' }, { name: 'get', description: 'Gets.', parameters: schema, strict: true }],
    toolChoice: { name: 'get' },
    parallelToolCalls: false,
    responseFormat: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
    sampling: { logprobs: true, top_logprobs: 2 },
  });
  assert.equal(body.tools, [
    { type: 'function', name: 'find', parameters: schema, strict: false },
    { type: 'function', name: 'get', description: 'Gets.', parameters: schema, strict: true },
  ]);
  assert.equal(body.tool_choice, { type: 'function', name: 'get' });
  assert.is(body.parallel_tool_calls, false);
  assert.equal(body.text, { format: { type: 'json_schema', name: 'a', schema, strict: true } });
  assert.is(body.top_logprobs, 2);
  assert.equal(body.include, ['message.output_text.logprobs', 'reasoning.encrypted_content']);
  assert.equal(bodyOf({ responseFormat: { type: 'json_object' } }).text, { format: { type: 'json_object' } });
});

it('reasoning is switched by its effort, and its summary left out where nobody reads it or the operator says so', () => {
  const reasoningOf = (reasoning: Turn['reasoning'], endpoint = ENDPOINT): unknown =>
    bodyOf(reasoning ? { reasoning } : {}, endpoint).reasoning;
  assert.equal(reasoningOf(undefined), { summary: 'auto' });
  assert.equal(reasoningOf({ enabled: true }), { effort: 'medium', summary: 'auto' });
  assert.equal(reasoningOf({ enabled: false }), { effort: 'none' });
  assert.equal(reasoningOf({ effort: 'low', excluded: true }), { effort: 'low' });
  assert.is(reasoningOf(undefined, withWire({ omit: ['reasoning.summary'] })), undefined);
  const always: Endpoint = { ...ENDPOINT, reasoning: { mandatory: true } };
  assert.equal(reasoningOf({ enabled: true }, always), { summary: 'auto' });
  const levelless: Endpoint = { ...ENDPOINT, reasoning: { mandatory: false } };
  assert.equal(responsesAdapter.leftOut(turnOf({ reasoning: { enabled: true } }), levelless, 9), ['reasoning']);
  const switched = withWire({ thinkingSwitch: { path: ['think'], on: true, off: false } });
  assert.is(bodyOf({ reasoning: { enabled: false } }, switched).think, false);
  assert.is(bodyOf({ reasoning: { effort: 'high' } }, switched).think, true);
});

it('where declared, a temperature is sent only while the model does not reason (rule I51)', () => {
  const endpoint = withWire({ exclusive: [['reasoning', 'temperature']] });
  const sent = (reasoning: NonNullable<Turn['reasoning']>): readonly unknown[] => {
    const turn = { sampling: { temperature: 0.2 }, reasoning };
    return [bodyOf(turn, endpoint).temperature, responsesAdapter.leftOut(turnOf(turn), endpoint, 9)];
  };
  assert.equal(sent({ effort: 'high' }), [undefined, ['temperature']]);
  assert.equal(sent({ effort: 'none' }), [0.2, []]);
  assert.equal(sent({ enabled: false }), [0.2, []]);
});

it('the user and the conversation are named within the bounds of the provider', () => {
  const { safety_identifier, prompt_cache_key } = bodyOf({ user: 'u-1', conversation: 'c-1' });
  assert.equal([safety_identifier, prompt_cache_key], ['u-1', 'c-1']);
  const long = bodyOf({ user: 'u'.repeat(129), conversation: 'c'.repeat(65) });
  assert.match(String(long.safety_identifier), /^[0-9a-f]{64}$/);
  assert.match(String(long.prompt_cache_key), /^[0-9a-f]{64}$/);
  const renamed = withWire({ rename: { safety_identifier: 'user' }, omit: ['prompt_cache_key'] });
  assert.equal(
    [bodyOf({ user: 'u-1', conversation: 'c' }, renamed)].map(({ user, prompt_cache_key: key }) => [user, key]),
    [['u-1', undefined]],
  );
});

it('system texts stay items where the provider takes no instructions, and where nothing else is left', () => {
  const messages: TurnMessage[] = [{ role: 'system', text: 'Be brief.' }, asked];
  const endpoint = withWire({ omit: ['instructions'], systemRole: 'system' });
  const { instructions, input } = bodyOf({ messages }, endpoint);
  assert.is(instructions, undefined);
  assert.equal((input as readonly Body[])[0], { type: 'message', role: 'system', content: 'Be brief.' });
  const alone = bodyOf({ messages: messages.slice(0, 1) });
  assert.equal(alone.input, [{ type: 'message', role: 'developer', content: 'Be brief.' }]);
});

function failureOf(run: () => unknown): ProviderFailure {
  try {
    run();
  } catch (error) {
    assert.instance(error, ProviderFailure);
    return error as ProviderFailure;
  }
  throw new Error('nothing failed');
}

test.run();
