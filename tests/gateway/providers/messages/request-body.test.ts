import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effort, Endpoint, ReasoningControls } from '../../../../actors/terms/endpoint.ts';
import type { Wire } from '../../../../actors/terms/wire.ts';
import { messagesWriter } from '../../../../gateway/providers/messages/request-body.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { honoured } from '../../../../gateway/routing/honoured.ts';
import { JsonText } from '../../../../gateway/terms/json-text.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { MESSAGES_TARGET, turnOf } from '../scene.ts';

const it = bounded(test);

function textOf(requested: Partial<Turn>, declared: Partial<Endpoint> = {}, ceiling = 4_000): string {
  return messagesWriter(endpointOf({ target: MESSAGES_TARGET, ...declared }))(turnOf(requested), ceiling);
}

function bodyOf(...given: Parameters<typeof textOf>): Record<string, unknown> {
  return JSON.parse(textOf(...given)) as Record<string, unknown>;
}

const EFFORTS: readonly Effort[] = ['high', 'low'];

const PLAIN = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  model: 'great-1',
  max_tokens: 4_000,
  stream: false,
};

it('a plain turn is a plain body; the ceiling is always sent', () => {
  assert.equal(bodyOf({}), PLAIN);
  assert.equal(bodyOf({ stream: true }), { ...PLAIN, stream: true });
});

// rule I71
it('system texts at any position join the leading prompt after a blank line', () => {
  const body = bodyOf({
    messages: [
      { role: 'system', text: 'One.' },
      { role: 'user', text: 'Hi' },
      { role: 'developer', text: 'Two "quoted".' },
    ],
  });
  assert.equal(body, { system: 'One.\n\nTwo "quoted".', ...PLAIN });
});

it('the last system text is the turn of the user where there is no other; a conversation without content is refused', () => {
  const alone = bodyOf({ messages: [{ role: 'system', text: 'Write a haiku.' }] });
  assert.equal(alone.messages, [{ role: 'user', content: [{ type: 'text', text: 'Write a haiku.' }] }]);
  assert.is(alone.system, undefined);
  const two = bodyOf({
    messages: [
      { role: 'system', text: 'One.' },
      { role: 'developer', text: 'Two.' },
    ],
  });
  assert.equal([two.system, two.messages], ['One.', [{ role: 'user', content: [{ type: 'text', text: 'Two.' }] }]]);
  assert.throws(() => bodyOf({ messages: [{ role: 'user', text: '' }] }), /requires a turn with content/);
});

it('several texts of one message are blocks, and nothing is added between them', () => {
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'text', text: ' two' },
  ] as const;
  const message = { text: 'one two', parts };
  const body = bodyOf({
    messages: [
      { role: 'system', ...message },
      { role: 'user', ...message },
      { role: 'tool', ...message, toolCallId: 'c' },
    ],
  });
  const [turn] = body.messages as { content: unknown }[];
  assert.equal(body.system, parts);
  assert.equal(turn?.content, [...parts, { type: 'tool_result', tool_use_id: 'c', content: parts }]);
  const two = { role: 'system', ...message } as const;
  assert.is(bodyOf({ messages: [two, two, { role: 'user', text: 'Hi' }] }).system, 'one two\n\none two');
});

it('calls and results are blocks, adjacent messages of one role one turn, arguments byte for byte', () => {
  const messages: Turn['messages'] = [
    { role: 'user', text: 'Go' },
    {
      role: 'assistant',
      text: 'Calling.',
      toolCalls: [
        { id: 'functions.f:0', name: 'f', arguments: '{"n": 12345678901234567890.10}' },
        { id: 'call_2', name: 'g', arguments: '' },
        { id: 'call_3', name: 'h', arguments: '[broken' },
      ],
    },
    { role: 'tool', text: 'five', toolCallId: 'functions.f:0' },
    { role: 'tool', text: '', toolCallId: 'call_2' },
    { role: 'user', text: 'And?' },
  ];
  assert.ok(textOf({ messages }).includes('"input":{"n": 12345678901234567890.10}'));
  const sent = bodyOf({ messages }).messages as { role: string; content: { input?: unknown }[] }[];
  assert.equal(
    sent.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  assert.equal(sent[1]?.content.slice(2), [
    { type: 'tool_use', id: 'call_2', name: 'g', input: {} },
    { type: 'tool_use', id: 'call_3', name: 'h', input: { arguments: '[broken' } },
  ]);
  const id = (sent[1]?.content[1] as { id?: string } | undefined)?.id;
  assert.equal(sent[2]?.content, [
    { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: 'five' }] },
    { type: 'tool_result', tool_use_id: 'call_2' },
    { type: 'text', text: 'And?' },
  ]);
});

// rule I44
it('sends back earlier thinking that this dialect signed, in order and unchanged (rule I44)', () => {
  const { messages } = bodyOf({
    messages: [
      { role: 'user', text: 'Hi' },
      {
        role: 'assistant',
        text: 'Hello',
        reasoning: 'unsigned',
        reasoningDetails: [
          { type: 'reasoning.text', text: 'hm', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'b3BhcXVl', format: 'anthropic-claude-v1', index: 1 },
          { type: 'reasoning.text', text: 'of nobody', signature: 'x' },
          { type: 'reasoning.text', text: 'unsigned' },
          { type: 'reasoning.text', text: 'other', signature: 'x', format: 'google-gemini-v1' },
        ],
      },
    ],
  });
  assert.equal((messages as { content: unknown }[])[1]?.content, [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
    { type: 'text', text: 'Hello' },
  ]);
});

it('pictures and documents are blocks with a source, in tool results too', () => {
  const data = (mediaType: string, base64 = 'AAAA') => ({ kind: 'data', mediaType, base64 }) as const;
  const parts = [
    { type: 'text', text: '' },
    { type: 'image', source: data('image/png') },
    { type: 'image', source: { kind: 'url', url: 'https://p.test/a.png' } },
    { type: 'file', source: data('application/pdf'), filename: 'a.pdf', context: 'Of 2024.' },
    { type: 'file', source: data('text/markdown', Buffer.from('# é').toString('base64')), filename: 'a.md' },
  ] as const;
  const blocks = [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'image', source: { type: 'url', url: 'https://p.test/a.png' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      title: 'a.pdf',
      context: 'Of 2024.',
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# é' }, title: 'a.md' },
  ];
  assert.equal(bodyOf({ messages: [{ role: 'user', text: '', parts }] }).messages, [{ role: 'user', content: blocks }]);
  assert.equal(bodyOf({ messages: [{ role: 'tool', text: '', parts, toolCallId: 'c' }] }).messages, [
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: blocks }] },
  ]);
});

const FORMLESS: readonly (readonly [string, Partial<Turn>])[] = [
  ['audio', { messages: [{ role: 'user', text: '', parts: [{ type: 'audio', source: { kind: 'url', url: 'u' } }] }] }],
  ['video', { messages: [{ role: 'user', text: '', parts: [{ type: 'video', source: { kind: 'url', url: 'u' } }] }] }],
  ['JSON without a schema', { responseFormat: { type: 'json_object' } }],
  [
    'bytes of no named type',
    {
      messages: [
        { role: 'user', text: '', parts: [{ type: 'image', source: { kind: 'data', mediaType: null, base64: '' } }] },
      ],
    },
  ],
];
for (const [what, requested] of FORMLESS) {
  it(`rejects ${what} without counting it against the endpoint`, () => {
    try {
      textOf(requested);
    } catch (error) {
      assert.instance(error, ProviderFailure);
      assert.is((error as ProviderFailure).counted, false);
      return;
    }
    assert.unreachable();
  });
}

it('sends declared sampling members of the dialect, and stop under its own name', () => {
  const sampling = { temperature: 0.2, top_p: 0.9, top_k: 40, min_p: 0.1, seed: 5, stop: 'END' };
  assert.equal(bodyOf({ sampling }), PLAIN);
  const supportedParameters = Object.keys(sampling);
  assert.equal(bodyOf({ sampling }, { supportedParameters }), {
    ...PLAIN,
    temperature: 0.2,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ['END'],
  });
  const off = { sampling: { top_k: -1, stop: ['a', 'b'] } };
  assert.equal(bodyOf(off, { supportedParameters, defaultParameters: { temperature: 0.7, top_k: 5 } }), {
    ...PLAIN,
    temperature: 0.7,
    stop_sequences: ['a', 'b'],
  });
});

it('converts the tool choice, with disable_parallel_tool_use as its member', () => {
  const tools = [{ name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }, { name: 'g' }];
  const choice = (requested: Partial<Turn>, declared: Partial<Endpoint> = {}) =>
    bodyOf({ tools, ...requested }, declared).tool_choice;
  assert.equal(bodyOf({ tools }).tools, [
    { name: 'f', description: 'd', input_schema: { type: 'object' } },
    { name: 'g', input_schema: { type: 'object', properties: {} } },
  ]);
  assert.is(choice({}), undefined);
  assert.equal(choice({ toolChoice: 'auto' }), { type: 'auto' });
  assert.equal(choice({ toolChoice: 'none' }), { type: 'none' });
  assert.equal(choice({ toolChoice: 'required' }), { type: 'any' });
  assert.equal(choice({ toolChoice: { name: 'f' } }), { type: 'tool', name: 'f' });
  const declared = { supportedParameters: ['parallel_tool_calls', 'structured_outputs'] };
  assert.equal(choice({ parallelToolCalls: false }, declared), { type: 'auto', disable_parallel_tool_use: true });
  assert.equal(choice({ toolChoice: 'required', parallelToolCalls: false }, declared), {
    type: 'any',
    disable_parallel_tool_use: true,
  });
  assert.equal(choice({ toolChoice: 'none', parallelToolCalls: false }, declared), { type: 'none' });
  assert.is((bodyOf({ tools }, declared).tools as { strict?: boolean }[])[0]?.strict, true);
});

// rule I113
it('thinking is disabled, has a budget, or is left to the provider', () => {
  const budget = { min: 1_024, max: 8_000 };
  const declared: Partial<Endpoint> = { reasoning: { mandatory: false, budget } };
  const requested = (reasoning: Turn['reasoning'], more: Partial<Turn> = {}, ceiling = 4_000) => {
    const { thinking, output_config } = bodyOf({ ...(reasoning ? { reasoning } : {}), ...more }, declared, ceiling);
    return { thinking, output_config };
  };
  const nothing = { thinking: undefined, output_config: undefined };
  assert.equal(requested(undefined), nothing);
  assert.equal(requested({ effort: 'none' }), { ...nothing, thinking: { type: 'disabled' } });
  assert.equal(requested({ enabled: false }), { ...nothing, thinking: { type: 'disabled' } });
  const given = (tokens: number) => ({ ...nothing, thinking: { type: 'enabled', budget_tokens: tokens } });
  assert.equal(requested({ tokensMax: 2_000 }), given(2_000));
  assert.equal(requested({ tokensMax: 5 }), given(1_024));
  assert.equal(requested({ tokensMax: 90_000 }, {}, 100_000), given(8_000));
  assert.equal(requested({ tokensMax: 90_000 }), given(3_999));
  assert.equal(requested({ enabled: true }), given(2_000));
  assert.equal(requested({ tokensMax: 2_000 }, {}, 1_000), nothing);
  assert.is(requested(undefined, { sampling: { enable_thinking: false } }).thinking, undefined);
  const controls = { supportedParameters: ['enable_thinking'] };
  assert.equal(bodyOf({ sampling: { enable_thinking: false } }, controls).thinking, { type: 'disabled' });
  const forced = { tools: [{ name: 'f' }], toolChoice: 'required' } as const;
  assert.is(requested({ tokensMax: 2_000 }, forced).thinking, undefined);
});

// rule I113
it('an effort is a share of the ceiling where a budget is declared, and a level where none is, never both', () => {
  const budget = { min: 0, max: 64_000 };
  const sent = (effort: Effort, reasoning: ReasoningControls, ceiling = 10_000) => {
    const { thinking, output_config } = bodyOf({ reasoning: { effort } }, { reasoning }, ceiling);
    return output_config === undefined ? thinking : { thinking, output_config };
  };
  const shares = { max: 9_500, xhigh: 9_500, high: 8_000, medium: 5_000, low: 2_000, minimal: 1_024 } as const;
  for (const [effort, tokens] of Object.entries(shares)) {
    const given = { type: 'enabled', budget_tokens: tokens };
    assert.equal(sent(effort as Effort, { mandatory: true, budget }), given);
    assert.equal(sent(effort as Effort, { mandatory: true, efforts: ['high'], budget }), given);
  }
  const level = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
  assert.equal(sent('high', { mandatory: true, efforts: ['high'] }), level);
  assert.equal(sent('high', { mandatory: true, budget }, 1_024), undefined);
});

// rule I51
it('while the model thinks, sampling that it refuses then is left out, and honoured says so', () => {
  const sampling = { temperature: 0.2, top_p: 0.9, top_k: 40 };
  const supportedParameters = ['temperature', 'top_p', 'top_k', 'reasoning', 'enable_thinking'];
  const thinker = { target: MESSAGES_TARGET, supportedParameters, reasoning: { mandatory: false, efforts: EFFORTS } };
  const sent = (requested: Partial<Turn>, declared: Partial<Endpoint> = {}) => {
    const endpoint = endpointOf({ ...thinker, defaultParameters: { temperature: 0.7 }, ...declared });
    const turn = turnOf(requested);
    const body = JSON.parse(messagesWriter(endpoint)(turn, 4_000)) as Record<string, unknown>;
    const named = Object.entries(honoured(turn, endpoint, 4_000)).filter(([name]) => name in sampling);
    return [body.temperature, body.top_p, body.top_k, Object.fromEntries(named)];
  };
  const kept = [0.2, 0.9, 40, { temperature: true, top_p: true, top_k: true }];
  const dropped = [undefined, undefined, undefined, { temperature: false, top_p: false, top_k: false }];
  assert.equal(sent({ sampling }), kept);
  assert.equal(sent({ sampling, reasoning: { effort: 'none' } }), kept);
  assert.equal(sent({ sampling, reasoning: { effort: 'high' } }), dropped);
  assert.equal(sent({ sampling, reasoning: { enabled: true } }), dropped);
  const budget = { mandatory: false, budget: { min: 1_024, max: 8_000 } };
  assert.equal(sent({ sampling, reasoning: { tokensMax: 2_000 } }, { reasoning: budget }), dropped);
  assert.equal(sent({ sampling }, { reasoning: { mandatory: false, defaultEnabled: true } }), dropped);
  const allowed = { sampling: { temperature: 1, top_p: 0.95 }, reasoning: { effort: 'high' } } as const;
  assert.equal(sent(allowed), [1, 0.95, undefined, { temperature: true, top_p: true }]);
  assert.equal(sent({ reasoning: { effort: 'high' } }), [undefined, undefined, undefined, {}]);
});

// rule I51
it('of settings that the provider takes only alone the first one asked for is sent, and honoured says so', () => {
  const wire = { exclusive: [['temperature', 'top_p']] };
  const alone = {
    target: { ...MESSAGES_TARGET, wire },
    supportedParameters: ['temperature', 'top_p', 'top_k'],
    defaultParameters: { temperature: 0.7, top_p: 0.8 },
  };
  const sent = (sampling: Turn['sampling']) => {
    const { temperature, top_p, top_k } = bodyOf({ sampling }, alone);
    return [temperature, top_p, top_k, honoured(turnOf({ sampling }), endpointOf(alone), 4_000)];
  };
  const both = { temperature: 0.2, top_p: 0.9, top_k: 5 };
  assert.equal(sent(both), [0.2, undefined, 5, { temperature: true, top_p: false, top_k: true }]);
  assert.equal(sent({ top_p: 0.9 }), [undefined, 0.9, undefined, { top_p: true }]);
  assert.equal(sent({}), [0.7, undefined, undefined, {}]);
});

// rule I113
it('a loop of tools that began without thinking of this dialect continues without a budget', () => {
  const declared = { target: MESSAGES_TARGET, reasoning: { mandatory: true, budget: { min: 1_024, max: 8_000 } } };
  const signed = { type: 'reasoning.text', text: 'hm', signature: 'c2ln', format: 'anthropic-claude-v1' } as const;
  const other = { type: 'reasoning.encrypted', data: 'eA', format: 'openai-responses-v1' } as const;
  const call = { id: 'c', name: 'f', arguments: '{}' };
  const result = { role: 'tool', text: 'five', toolCallId: 'c' } as const;
  const thinksAfter = (answer: object, ...after: Turn['messages']): readonly [boolean, unknown] => {
    const assistant = { role: 'assistant', text: null, toolCalls: [call], ...answer } as const;
    const turn = {
      messages: [{ role: 'user', text: 'Go' }, assistant, ...after],
      reasoning: { effort: 'high' },
    } as const;
    const endpoint = endpointOf({ ...declared, supportedParameters: ['reasoning'] });
    return [bodyOf(turn, declared).thinking !== undefined, honoured(turnOf(turn), endpoint, 4_000).reasoning_effort];
  };
  const thought = { type: 'reasoning', detail: signed } as const;
  const called = { type: 'call', call } as const;
  assert.equal(thinksAfter({ reasoningDetails: [signed] }, result), [true, true]);
  assert.equal(thinksAfter({ blocks: [thought, called] }, result), [true, true]);
  assert.equal(thinksAfter({ reasoningDetails: [other] }, result), [false, false]);
  assert.equal(thinksAfter({}, result, { role: 'user', text: 'And?' }), [false, false]);
  assert.equal(thinksAfter({ blocks: [called, thought] }, result), [false, false]);
  const next = [result, { role: 'assistant', text: 'Five.' }, { role: 'user', text: 'Why?' }] as const;
  assert.equal(thinksAfter({}, ...next), [true, true]);
});

it('writes schemas that are kept as text', () => {
  const schema = new JsonText('{"type":"object"}');
  const responseFormat = { type: 'json_schema', json_schema: { name: 'n', schema } };
  const body = bodyOf({ responseFormat, tools: [{ name: 'f', parameters: schema }] });
  assert.equal(body.output_config, { format: { type: 'json_schema', schema: { type: 'object' } } });
  assert.equal(body.tools, [{ name: 'f', input_schema: { type: 'object' } }]);
});

it('sends the answer schema, the user and the provider options in their members', () => {
  const schema = { type: 'object', default: null };
  const passthrough = { speed: { type: 'unknown' }, max_tokens: { type: 'unknown' } } as const;
  const preferences = { allowFallbacks: true, options: { alpha: { speed: 'fast', max_tokens: 1 } } };
  const responseFormat = { type: 'json_schema', json_schema: { name: 'n', schema } };
  assert.equal(bodyOf({ responseFormat, user: 'u-1', preferences }, { passthrough }), {
    ...PLAIN,
    output_config: { format: { type: 'json_schema', schema } },
    metadata: { user_id: 'u-1' },
    speed: 'fast',
  });
});

it('members are renamed and left out, and ids of calls mapped, where that is declared', () => {
  const wire: Wire = {
    rename: { stop_sequences: 'stops' },
    omit: ['metadata'],
    toolId: { characters: '0123456789', min: 4, max: 6 },
  };
  const endpoint = endpointOf({ target: { ...MESSAGES_TARGET, wire }, supportedParameters: ['stop'] });
  const call = { id: 'call_1', name: 'f', arguments: '{}' };
  const turn = turnOf({
    user: 'u',
    sampling: { stop: 'x' },
    messages: [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: null, toolCalls: [call] },
      { role: 'tool', text: '5', toolCallId: 'call_1' },
    ],
  });
  const body = JSON.parse(messagesWriter(endpoint)(turn, 100));
  assert.equal([body.metadata, body.stop_sequences, body.stops], [undefined, undefined, ['x']]);
  const [, { content: called }, { content: results }] = body.messages;
  assert.match(called[0].id, /^\d{6}$/);
  assert.is(results[0].tool_use_id, called[0].id);
  assert.is(honoured(turn, endpoint, 100).user, false);
});

test.run();
