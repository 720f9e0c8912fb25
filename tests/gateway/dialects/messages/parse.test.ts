import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseCount } from '../../../../gateway/dialects/messages/parse.ts';
import { chatWriter } from '../../../../gateway/providers/chat/request-body.ts';
import { messagesWriter } from '../../../../gateway/providers/messages/request-body.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { JsonText } from '../../../../gateway/terms/json-text.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { MESSAGES_TARGET } from '../../providers/scene.ts';

/** rule I71. */
const it = bounded(test);
const BASE = { model: 'a/b', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };
const TURN = {
  kind: 'conversation',
  models: ['a/b'],
  messages: [{ role: 'user', text: 'Hi' }],
  stream: false,
  sampling: {},
  completionTokensMax: 50,
  preferences: { allowFallbacks: true },
  inexpressible: ['audio'],
};

function refusal(more: object, session: string | null = null): GatewayError {
  return thrownBy(() => parse({ ...BASE, ...more }, session), GatewayError);
}

const messagesOf = (...messages: object[]): unknown => parse({ ...BASE, messages }).messages;
const userOf = (...content: object[]): unknown => messagesOf({ role: 'user', content });

it('a plain request is a plain turn, and explicit nulls change nothing (rule I71)', () => {
  assert.equal(parse(BASE), TURN);
  const nulls = ['system', 'metadata', 'thinking', 'tools', 'tool_choice', 'stop_sequences', 'stream', 'temperature'];
  assert.equal(parse({ ...BASE, ...Object.fromEntries(nulls.map((name) => [name, null])) }), TURN);
});

it('every member of the table reaches the turn, or has no effect (rule I71)', () => {
  const turn = parse(
    {
      ...BASE,
      models: ['c/d:floor', 'a/b'],
      provider: { only: ['p'] },
      route: 'sort',
      transforms: ['middle-out'],
      stop_sequences: ['END', 'three'],
      stream: true,
      temperature: 0,
      top_p: 0,
      top_k: 0,
      metadata: { user_id: 'u' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      modalities: ['text', 'image'],
      unknown_member: 1,
    },
    'session',
  );
  assert.equal(turn, {
    ...TURN,
    models: ['a/b', 'c/d:floor'],
    stream: true,
    sampling: { temperature: 0, top_p: 0, top_k: 0, stop: ['END', 'three'] },
    preferences: { allowFallbacks: true, only: ['p'], partition: 'none' },
    responseFormat: {
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
    },
    modalities: { input: [], output: ['image'] },
    compress: true,
    conversation: 'session',
  });
  assert.equal(parse({ ...BASE, stop_sequences: [], tools: [], transforms: [] }), TURN);
});

it('members out of range are refused, each by its name (rule I3)', () => {
  for (const [more, expected] of [
    [{ max_tokens: undefined }, 'max_tokens is required'],
    [{ max_tokens: 0 }, 'max_tokens must be at least 1'],
    [{ model: undefined }, 'model is required'],
    [{ messages: [] }, 'messages must have at least 1 item'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role must be one of "user", "assistant", "system"'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content must have at least 1 item'],
    [{ messages: [{ role: 'user', content: [{ type: 'tool_use' }] }] }, 'messages[0].content[0].type must be one of'],
    [{ stop_sequences: Array(9).fill('x') }, 'stop_sequences must have at most 8 items'],
    [{ temperature: 2.1 }, 'temperature must be at most 2'],
    [{ top_p: 1.1 }, 'top_p must be at most 1'],
    [{ top_k: -1 }, 'top_k must be at least 0'],
    [{ tool_choice: { type: 'required' } }, 'tool_choice.type must be one of "auto", "any", "none", "tool"'],
    [{ tool_choice: { type: 'any' } }, 'tool_choice asks for a tool call and tools has none'],
    [{ tools: [{ name: 'f' }], tool_choice: { type: 'tool', name: 'g' } }, 'tool_choice.name: g is not among tools'],
    [{ tools: [{ name: 'white space' }] }, 'tools[0].name must match'],
    [{ plugins: [{ id: 'web' }] }, 'plugins[0].id must be "context-compression"'],
    [{ model: 'a/b:online' }, 'the suffix :online is not supported'],
    [{ system: 5 }, 'system must be a string or an array'],
  ] as const) {
    const { status, type, message } = refusal(more);
    assert.equal([status, type], [400, 'invalid_request'], JSON.stringify(more));
    assert.ok(message.startsWith(expected) || message.endsWith(expected), `${message} instead of ${expected}`);
  }
  assert.match(refusal({}, 'x'.repeat(257)).message, /X-Session-Id/);
});

it('system turns among the messages join the leading prompt, each after a blank line (rule I72)', () => {
  const among = (system: unknown, ...turns: unknown[]): unknown =>
    parse({ ...BASE, system, messages: [...turns.map((content) => ({ role: 'system', content })), ...BASE.messages] })
      .messages[0];
  assert.equal(among('One.', 'Two.', 'Three.'), { role: 'system', text: 'One.\n\nTwo.\n\nThree.' });
  assert.equal(among(undefined, 'Two.'), { role: 'system', text: 'Two.' });
  assert.equal(among('', '', 'Two.'), { role: 'system', text: 'Two.' });
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'system', content: 'Late.' },
    { role: 'assistant', content: 'b' },
  ];
  assert.equal(parse({ ...BASE, system: 'One.', messages }).messages, [
    { role: 'system', text: 'One.\n\nLate.' },
    { role: 'user', text: 'a' },
    { role: 'assistant', text: 'b' },
  ]);
  const blocks = [
    { type: 'text', text: 'One.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'More.' },
  ];
  assert.equal(among(blocks, 'Two.'), {
    role: 'system',
    text: 'One.\nMore.\n\nTwo.',
    parts: [
      { type: 'text', text: 'One.', cacheFor: '5m' },
      { type: 'text', text: 'More.' },
      { type: 'text', text: '\n\nTwo.' },
    ],
  });
  assert.equal(among('One.', [{ type: 'text', text: 'Two.', cache_control: { type: 'ephemeral', ttl: '1h' } }]), {
    role: 'system',
    text: 'One.\n\nTwo.',
    parts: [
      { type: 'text', text: 'One.' },
      { type: 'text', text: '\n\nTwo.', cacheFor: '1h' },
    ],
  });
});

it('the text blocks of a system prompt are joined by a line break, where none is there', () => {
  const system = ['You fix bugs.', 'Be brief.\n', 'Be kind.', '', '\nStop early.'].map((text) => ({
    type: 'text',
    text,
  }));
  const [prompt] = parse({ ...BASE, system }).messages;
  assert.is(prompt?.text, 'You fix bugs.\nBe brief.\nBe kind.\nStop early.');
  assert.equal(prompt?.role === 'system' && prompt.parts, system);
});

it('a result knows the tool that the call before it named', () => {
  const { messages } = parse({
    ...BASE,
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: {} }] },
      {
        role: 'user',
        content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: id })),
      },
    ],
  });
  assert.equal(messages.slice(1), [
    { role: 'tool', text: 'a', toolCallId: 'a', toolName: 'find' },
    { role: 'tool', text: 'b', toolCallId: 'b' },
  ]);
});

it('results of tools are messages of their own, before the rest of their turn', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } };
  const turns = userOf(
    { type: 'text', text: 'Both.' },
    { type: 'tool_result', tool_use_id: 'a', content: 'five' },
    { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: 'no' }, image] },
    { type: 'tool_result', tool_use_id: 'c', is_error: false, cache_control: { type: 'ephemeral' } },
  );
  assert.equal(turns, [
    { role: 'tool', text: 'five', toolCallId: 'a' },
    {
      role: 'tool',
      text: 'no',
      parts: [
        { type: 'text', text: 'no' },
        { type: 'image', source: { kind: 'url', url: 'https://a.b/c.png' } },
      ],
      toolCallId: 'b',
      isError: true,
    },
    { role: 'tool', text: '', toolCallId: 'c', cacheFor: '5m' },
    { role: 'user', text: 'Both.' },
  ]);
  const { modalities } = parse({
    ...BASE,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: [image] }] }],
  });
  assert.equal(modalities, { input: ['image'], output: [] });
});

it('an assistant turn is its text, its calls and its thinking; another order is kept beside them', () => {
  const signed = { type: 'thinking', thinking: 'hm', signature: 's' };
  const call = { type: 'tool_use', id: 'c', name: 'f', input: { n: 1 } };
  const detail = { type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' };
  const calls = [{ id: 'c', name: 'f', arguments: '{"n":1}' }];
  const assistant = (...content: object[]): unknown => (messagesOf({ role: 'assistant', content }) as unknown[])[0];
  const usual = { role: 'assistant', text: 'Hi', toolCalls: calls, reasoningDetails: [detail] };
  assert.equal(assistant(signed, { type: 'text', text: 'Hi' }, call), usual);
  assert.equal(assistant({ type: 'text', text: 'Hi' }, signed, call), {
    ...usual,
    blocks: [
      { type: 'text', text: 'Hi' },
      { type: 'reasoning', detail },
      { type: 'call', call: calls[0] },
    ],
  });
  const marked = assistant({ ...call, cache_control: { type: 'ephemeral' } }) as { blocks: object[] };
  assert.equal(marked.blocks, [{ type: 'call', call: calls[0], cacheFor: '5m' }]);
  // No provider signed it, so it is plain reasoning.
  assert.equal(assistant({ type: 'thinking', thinking: 'hm', signature: '' }), {
    role: 'assistant',
    text: null,
    reasoning: 'hm',
  });
  assert.equal(assistant({ type: 'redacted_thinking', data: 'EmwK' }, { type: 'image', source: {} }), {
    role: 'assistant',
    text: null,
    reasoningDetails: [{ type: 'reasoning.encrypted', data: 'EmwK', format: 'anthropic-claude-v1' }],
  });
  assert.equal(assistant({ type: 'tool_use', id: 'c', name: 'f' }), {
    role: 'assistant',
    text: null,
    toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
  });
});

it('tools and the tool choice; a hosted tool is refused with its position, a function of its name is not (rule I73)', () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } } };
  const tools = [
    { name: 'web_search', description: 'd', input_schema: schema },
    { type: 'custom', name: 'g', strict: true, cache_control: { type: 'ephemeral', ttl: '1h' } },
  ];
  const turn = parse({ ...BASE, tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } });
  assert.equal(turn.tools, [
    { name: 'web_search', description: 'd', parameters: schema },
    { name: 'g', strict: true, cacheFor: '1h' },
  ]);
  assert.equal([turn.toolChoice, turn.parallelToolCalls], ['required', false]);
  for (const [choice, expected] of [
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'tool', name: 'g' }, { name: 'g' }],
  ] as const) {
    assert.equal(parse({ ...BASE, tools, tool_choice: choice }).toolChoice, expected);
  }
  for (const type of ['web_search_20250305', 'web_search_20260209', 'web_search_20991231']) {
    const { status, message } = refusal({ tools: [...tools, { type, name: 'web_search', max_uses: 3 }] });
    assert.is(status, 400);
    assert.match(message, /^tools\[2\]\.type: hosted web search is not supported/);
  }
  assert.match(refusal({ tools: [{ type: 'bash_20250124', name: 'bash' }] }).message, /^tools\[0\]\.type: the hosted/);
});

it('extensions of other routes are refused: announced calls 400, speech 422 (rule I70)', () => {
  const { message } = refusal({ stream: true, stream_options: { include_tool_dispatch: true } });
  assert.match(message, /^stream_options\.include_tool_dispatch/);
  assert.equal(parse({ ...BASE, stream_options: { include_tool_dispatch: false } }), TURN);
  const speech = refusal({ modalities: ['text', 'audio'] });
  assert.equal([speech.status, speech.type], [422, 'unprocessable']);
  assert.match(speech.message, /\/chat\/completions/);
});

it('schemas of large bodies, which are kept as text, reach both dialects of providers', () => {
  const schema = new JsonText('{"type":"object","big":12345678901234567890}');
  const turn = parse({
    ...BASE,
    tools: [{ name: 'f', input_schema: schema }],
    output_config: { format: { type: 'json_schema', schema } },
  });
  const declared = { supportedParameters: ['tools', 'structured_outputs', 'response_format'] };
  for (const writer of [
    chatWriter(endpointOf(declared)),
    messagesWriter(endpointOf({ ...declared, target: MESSAGES_TARGET })),
  ]) {
    assert.is(writer(turn, 50).split(schema.text).length, 3, writer(turn, 50));
  }
});

it('a count needs a model and messages alone (rule I78)', () => {
  const { model, messages } = BASE;
  const counted = parseCount({ model, messages, system: 'One.', tools: [{ name: 'f' }] });
  assert.equal(counted.messages, [
    { role: 'system', text: 'One.' },
    { role: 'user', text: 'Hi' },
  ]);
  assert.equal(counted.tools, [{ name: 'f' }]);
  assert.throws(() => parseCount({ messages }), /model is required/);
  assert.throws(() => parseCount({ model }), /messages is required/);
});

test.run();
