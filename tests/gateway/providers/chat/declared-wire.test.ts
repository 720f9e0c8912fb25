import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import type { ReasoningHistory, Wire } from '../../../../actors/terms/wire.ts';
import type { Learnt } from '../../../../gateway/providers/adapter.ts';
import { ChatReader } from '../../../../gateway/providers/chat/reply-reader.ts';
import { chatWriter } from '../../../../gateway/providers/chat/request-body.ts';
import { embeddingsWriter } from '../../../../gateway/providers/embeddings/adapter.ts';
import { honoured } from '../../../../gateway/routing/honoured.ts';
import type { Turn, TurnMessage } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);

const withWire = (wire: Wire, declared: Partial<Endpoint> = {}): Endpoint =>
  endpointOf({
    target: { dialect: 'chat', baseUrl: 'https://alpha.example/v1', upstreamId: 'model', wire },
    ...declared,
  });

type Body = Record<string, unknown> & { readonly messages: readonly Record<string, unknown>[] };

function bodyOf(wire: Wire, requested: Partial<Turn>, declared: Partial<Endpoint> = {}, learnt: Learnt = {}): Body {
  return JSON.parse(chatWriter(withWire(wire, declared), learnt)(turnOf(requested), 100));
}

const CALLED: Extract<TurnMessage, { role: 'assistant' }> = {
  role: 'assistant',
  text: 'so',
  toolCalls: [{ id: 'toolu_01ABC', name: 'f', arguments: '{}' }],
};
const RESULT: TurnMessage = { role: 'tool', text: '5', toolCallId: 'toolu_01ABC' };

it('members are renamed and left out where that is declared, and provider.options wins over both (rule I145)', () => {
  const declared = {
    supportedParameters: ['seed', 'temperature'],
    passthrough: { user: { type: 'unknown' } },
  } as const;
  const requested: Partial<Turn> = { stream: true, sampling: { seed: 7, temperature: 1 }, user: 'u' };
  const wire: Wire = { rename: { seed: 'random_seed' }, omit: ['stream_options', 'user'] };
  const body = bodyOf(wire, requested, declared);
  assert.equal(Object.keys(body).sort(), ['max_tokens', 'messages', 'model', 'random_seed', 'stream', 'temperature']);
  assert.is(body.random_seed, 7);
  const options = { alpha: { user: 'own' } };
  const preferences = { allowFallbacks: true, options };
  assert.is(bodyOf(wire, { ...requested, preferences }, declared).user, 'own');
});

it('what a declaration keeps from being sent is reported unhonoured (rule I51)', () => {
  const messages: readonly TurnMessage[] = [
    { role: 'user', text: 'hi', name: 'ann' },
    { role: 'assistant', text: 'yes', reasoning: 'hm' },
  ];
  const turn = turnOf({ messages, user: 'u' });
  assert.equal(honoured(turn, withWire({}, { reasoning: { mandatory: true } }), 100), {});
  // A model that declares no reasoning receives none of it.
  assert.equal(honoured(turn, withWire({}), 100), { 'messages.reasoning': false });
  const wire: Wire = { omit: ['user', 'messages.name'], reasoningHistory: 'none' };
  assert.equal(honoured(turn, withWire(wire), 100), {
    user: false,
    'messages.name': false,
    'messages.reasoning': false,
  });
  assert.equal(bodyOf(wire, { messages }).messages, [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'yes' },
  ]);
});

it('thinking is switched at the declared path, by callers of either member', () => {
  const wire: Wire = { thinkingSwitch: { path: ['chat_template_kwargs', 'enable_thinking'], on: true, off: false } };
  const declared = { supportedParameters: ['enable_thinking'], reasoning: { mandatory: false } } as const;
  const off = { chat_template_kwargs: { enable_thinking: false } };
  for (const requested of [{ reasoning: { enabled: false } }, { sampling: { enable_thinking: false } }] as const) {
    const { chat_template_kwargs, enable_thinking } = bodyOf(wire, requested, declared);
    assert.equal({ chat_template_kwargs, enable_thinking }, { ...off, enable_thinking: undefined });
  }
  const on = bodyOf(wire, { reasoning: { enabled: true } }, declared);
  assert.equal(on.chat_template_kwargs, { enable_thinking: true });
  const levels = {
    supportedParameters: ['reasoning'],
    reasoning: { efforts: ['high', 'none'], mandatory: false },
  } as const;
  const named: Wire = { thinkingSwitch: { path: ['thinking'], off: { type: 'disabled' } } };
  assert.equal(bodyOf(named, { reasoning: { effort: 'none' } }, levels).thinking, { type: 'disabled' });
  const high = bodyOf(named, { reasoning: { effort: 'high' } }, levels);
  assert.equal([high.thinking, high.reasoning_effort], [undefined, 'high']);
  const typed: Wire = { thinkingSwitch: { path: ['thinking', 'type'], on: 'enabled', off: 'disabled' } };
  assert.equal(bodyOf(typed, { reasoning: { effort: 'high' } }, levels).thinking, { type: 'enabled' });
  assert.is(honoured(turnOf({ reasoning: { enabled: true } }), withWire(typed, levels), 100).reasoning, true);
  assert.is(honoured(turnOf({ reasoning: { enabled: true } }), withWire(named, levels), 100).reasoning, false);
});

it('earlier reasoning goes back in the declared form (rule I44)', () => {
  const details = [{ type: 'reasoning.text', text: 'hm', signature: 's', format: 'maker-v1', index: 0 }] as const;
  const sent = (
    history: ReasoningHistory,
    message: TurnMessage,
    requested: Partial<Turn> = {},
  ): Record<string, unknown> => {
    const {
      role: _,
      tool_calls: __,
      ...rest
    } = bodyOf({ reasoningHistory: history }, { ...requested, messages: [message] }).messages[0] ?? {};
    return rest;
  };
  const reasoned = { ...CALLED, reasoning: 'hm' };
  assert.equal(sent('reasoning', reasoned), { content: 'so', reasoning: 'hm' });
  assert.equal(sent('reasoning_content', reasoned), { content: 'so', reasoning_content: 'hm' });
  assert.equal(sent('details', { ...reasoned, reasoningDetails: details }), {
    content: 'so',
    reasoning: 'hm',
    reasoning_details: details,
  });
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
  assert.equal(sent('parts', reasoned), { content: [thinking, { type: 'text', text: 'so' }] });
  assert.equal(sent('parts', { ...reasoned, text: null }), { content: [thinking] });
  assert.equal(sent('none', reasoned), { content: 'so' });
  assert.equal(sent('signature', reasoned), { content: 'so' });
  // The text of entries of another provider is still the text of its reasoning.
  const foreign = { ...CALLED, reasoningDetails: details };
  assert.equal(sent('reasoning_content', foreign), { content: 'so', reasoning_content: 'hm' });
  // A call that another model made without reasoning has a blank where reasoning is demanded.
  assert.equal(sent('reasoning_content', CALLED), { content: 'so', reasoning_content: ' ' });
  const plain: TurnMessage = { role: 'assistant', text: 'so' };
  assert.equal(sent('reasoning_content', plain), { content: 'so' });
  // In a turn with tools DeepSeek demands it of every answer.
  const tools = [{ name: 'f' }];
  assert.equal(sent('reasoning_content', plain, { tools }), { content: 'so', reasoning_content: ' ' });
  assert.equal(sent('reasoning', plain, { tools }), { content: 'so' });
});

it('without a declaration reasoning goes back in the member in which the endpoint reasoned', () => {
  const learnt: Learnt = {};
  const back = (): readonly string[] => {
    const reasoned = {
      ...CALLED,
      reasoning: 'hm',
      reasoningDetails: [{ type: 'reasoning.text', text: 'hm' }] as const,
    };
    const [message] = bodyOf({}, { messages: [reasoned] }, {}, learnt).messages;
    const { content, ...members } = message ?? {};
    return [
      ...Object.keys(members).filter((name) => name.startsWith('reasoning')),
      ...(Array.isArray(content) ? ['parts'] : []),
    ];
  };
  const reply = (delta: object): void => {
    new ChatReader(() => 'made', undefined, learnt).readFrame(undefined, JSON.stringify({ choices: [{ delta }] }), []);
  };
  assert.equal(back(), []);
  reply({ content: 'only words' });
  assert.equal(back(), []);
  reply({ reasoning_content: 'h' });
  assert.equal(back(), ['reasoning_content']);
  reply({ reasoning: 'h' });
  assert.equal(back(), ['reasoning']);
  reply({ reasoning: 'h', reasoning_details: [{ type: 'reasoning.text', text: 'h' }] });
  assert.equal(back(), ['reasoning', 'reasoning_details']);
  reply({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'h' }] }] });
  assert.equal(back(), ['parts']);
});

it('ids of calls that the provider refuses are mapped, a call and its result alike, and its own pass', () => {
  const wire: Wire = { toolId: { characters: 'abcdefghijklmnopqrstuvwxyz0123456789', min: 9, max: 9 } };
  const idsOf = (...messages: readonly TurnMessage[]): readonly unknown[] =>
    bodyOf(wire, { messages }).messages.map(
      ({ tool_calls, tool_call_id }) => tool_call_id ?? (tool_calls as { id: string }[] | undefined)?.[0]?.id,
    );
  const [call, result] = idsOf(CALLED, RESULT);
  assert.match(call as string, /^[a-z0-9]{9}$/);
  assert.is(call, result);
  assert.equal(idsOf(CALLED, RESULT), [call, result]);
  assert.not.equal(idsOf({ ...RESULT, toolCallId: 'toolu_01ABD' }), [result]);
  const own = 'abc123xyz';
  assert.equal(idsOf({ ...RESULT, toolCallId: own }), [own]);
});

it('a thought signature of Gemini comes with its call and goes back with it, and a foreign call none of another (rule I146)', () => {
  const events: TurnEvent[] = [];
  const call = (index: number, id: string, signature?: string): object => ({
    index,
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
  });
  const delta = {
    tool_calls: [call(0, 'c1', 'SIG1'), call(1, 'c2')],
    extra_content: { google: { thought_signature: 'TEXT' } },
  };
  new ChatReader(() => 'made').readFrame(undefined, JSON.stringify({ choices: [{ delta }] }), events);
  const details = events.flatMap((event) => (event.type === 'reasoning-detail' ? [event.detail] : []));
  const format = 'google-gemini-v1';
  assert.equal(details, [
    { type: 'reasoning.encrypted', data: 'TEXT', format },
    { type: 'reasoning.encrypted', data: 'SIG1', format, id: 'c1' },
  ]);
  // The entry precedes its call, so that a block of it closes no open call.
  assert.equal(
    events.map(({ type }) => type),
    ['reasoning-detail', 'reasoning-detail', 'tool-start', 'tool-delta', 'tool-start', 'tool-delta'],
  );
  const toolCalls = ['c1', 'c2'].map((id) => ({ id, name: 'f', arguments: '{}' }));
  const wire: Wire = { reasoningHistory: 'signature' };
  const [back] = bodyOf(wire, {
    messages: [{ role: 'assistant', text: null, toolCalls, reasoningDetails: details }],
  }).messages;
  const extra = (signature: string): object => ({ google: { thought_signature: signature } });
  assert.equal(
    ((back?.tool_calls ?? []) as { extra_content?: object }[]).map((each) => each.extra_content),
    [extra('SIG1'), undefined],
  );
  assert.equal(back?.extra_content, extra('TEXT'));
  const [foreign] = bodyOf(wire, { messages: [CALLED] }).messages;
  const [made] = (foreign?.tool_calls ?? []) as { extra_content?: object }[];
  assert.equal(made?.extra_content, extra('skip_thought_signature_validator'));
});

it('cache marks are sent on parts, tools and the end of the prompt where that is declared', () => {
  const tools = [{ name: 'f', cacheFor: '5m' }] as const;
  const messages: readonly TurnMessage[] = [
    { role: 'system', text: 'long', parts: [{ type: 'text', text: 'long', cacheFor: '1h' }] },
    { role: 'assistant', text: 'a', blocks: [{ type: 'text', text: 'a', cacheFor: '5m' }] },
    { role: 'tool', text: '5', toolCallId: 'c' },
    { role: 'user', text: 'end' },
  ];
  const requested: Partial<Turn> = { messages, tools, cacheFor: '5m' };
  const five = { type: 'ephemeral' };
  const body = bodyOf({ cacheControl: true }, requested);
  assert.equal(
    body.messages.map(({ content }) => content),
    [
      [{ type: 'text', text: 'long', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      [{ type: 'text', text: 'a', cache_control: five }],
      '5',
      [{ type: 'text', text: 'end', cache_control: five }],
    ],
  );
  assert.equal(body.tools, [{ type: 'function', function: { name: 'f' }, cache_control: five }]);
  assert.not.match(JSON.stringify(bodyOf({}, requested)), /cache_control/);
  assert.is(honoured(turnOf(requested), withWire({}), 100).cache_control, false);
  assert.is(honoured(turnOf(requested), withWire({ cacheControl: true }), 100).cache_control, undefined);
});

it('system texts have the declared role, and the ceiling is sent always or where it was asked for', () => {
  const messages: readonly TurnMessage[] = [
    { role: 'system', text: 's' },
    { role: 'developer', text: 'd' },
    { role: 'user', text: 'u' },
  ];
  const roles = (wire: Wire): readonly unknown[] => bodyOf(wire, { messages }).messages.map(({ role }) => role);
  assert.equal(roles({}), ['system', 'system', 'user']);
  assert.equal(roles({ systemRole: 'developer' }), ['developer', 'developer', 'user']);
  assert.is(bodyOf({ ceiling: 'always' }, {}).max_tokens, 100);
  assert.is(bodyOf({ ceiling: 'asked' }, {}).max_tokens, undefined);
  assert.is(bodyOf({ ceiling: 'asked' }, { completionTokensMax: 50 }).max_tokens, 100);
});

it('of settings that exclude each other the first that is asked for is sent, and the other is unhonoured', () => {
  const wire: Wire = { exclusive: [['temperature', 'top_p']] };
  const declared = { supportedParameters: ['temperature', 'top_p'], defaultParameters: { temperature: 0.7 } };
  const both = { sampling: { top_p: 0.5, temperature: 1 } };
  const { temperature, top_p } = bodyOf(wire, both, declared);
  assert.equal([temperature, top_p], [1, undefined]);
  assert.is(honoured(turnOf(both), withWire(wire, declared), 100).top_p, false);
  const one = bodyOf(wire, { sampling: { top_p: 0.5 } }, declared);
  assert.equal([one.temperature, one.top_p], [undefined, 0.5]);
});

it('embeddings obey the same declaration', () => {
  const endpoint = withWire(
    { rename: { dimensions: 'output_dimension' }, omit: ['user', 'encoding_format'] },
    { supportedParameters: ['dimensions'] },
  );
  const write = embeddingsWriter(endpoint);
  const body = JSON.parse(write(turnOf({ sampling: { dimensions: 8 }, user: 'u' }), 100));
  assert.equal(body, { model: 'model', input: ['Hi'], output_dimension: 8 });
});

test.run();
