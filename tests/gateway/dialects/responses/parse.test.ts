import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { parse as parseAll } from '../../../../gateway/dialects/responses/parse.ts';
import { pathOf } from '../../../../gateway/dialects/responses/path-of.ts';
import { responsesReplyDialect } from '../../../../gateway/dialects/responses/responses-dialect.ts';
import { openReasoning, sealReasoning } from '../../../../gateway/dialects/responses/sealed-reasoning.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { ReasoningDetail, Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

const it = bounded(test);
const MODEL = { model: 'a/b' };
const PNG = 'data:image/png;base64,AAAA';

function parse(members: object, session: string | null = null): Turn {
  return parseAll({ ...MODEL, input: 'hi', ...members }, session).turn;
}

/** The message of the refusal, which is a 400. */
function refused(members: object): string {
  const { status, message } = thrownBy(() => parse(members), GatewayError);
  assert.is(status, 400);
  return message;
}

it('a text is one message of the user, and instructions are the system prompt (rule I84)', () => {
  assert.equal(parse({ instructions: 'Be brief.' }).messages, [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'hi' },
  ]);
  assert.equal(parse({ instructions: '' }).messages, [{ role: 'user', text: 'hi' }]);
});

it('the text parts of a system or developer message are joined by a line break, those of a user by nothing', () => {
  const content = ['One.', 'Two.'].map((text) => ({ type: 'input_text', text }));
  for (const [role, text] of [
    ['system', 'One.\nTwo.'],
    ['developer', 'One.\nTwo.'],
    ['user', 'One.Two.'],
  ] as const) {
    assert.is(parse({ input: [{ role, content }] }).messages[0]?.text, text);
  }
});

it('the same conversation in both dialects is the same turn (rule I6)', () => {
  const schema = { type: 'object', properties: {} };
  const turn = parse({
    instructions: 'S',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'W?' },
          { type: 'input_image', image_url: PNG },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'one' },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'two' }] },
      { type: 'message', role: 'developer', content: 'D' },
    ],
    tools: [{ type: 'function', name: 'f', description: 'd', parameters: schema, strict: true }],
    tool_choice: { type: 'function', name: 'f' },
    parallel_tool_calls: false,
    reasoning: { effort: 'low', summary: 'auto', max_tokens: 7, enabled: true, exclude: true },
    modalities: ['text', 'image', 'audio'],
    image_config: { n: 2, size: '1x1' },
    audio: { voice: 'v', format: 'wav' },
    text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.5,
    stream: true,
    prompt_cache_key: 'k',
    transforms: ['middle-out'],
    models: ['c/d'],
    provider: { only: ['p'] },
    route: 'sort',
  });
  const called = (id: string, given: string): object => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: given },
  });
  const chat = parseChat({
    ...MODEL,
    messages: [
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'W?' },
          { type: 'image_url', image_url: { url: PNG } },
        ],
      },
      { role: 'assistant', content: 'I look.', tool_calls: [called('c1', '{"a":1}'), called('c2', '{}')] },
      { role: 'tool', tool_call_id: 'c1', content: 'one' },
      { role: 'tool', tool_call_id: 'c2', content: 'two' },
      { role: 'developer', content: 'D' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: false,
    reasoning: { effort: 'low', max_tokens: 7, enabled: true, exclude: true },
    modalities: ['text', 'image', 'audio'],
    image_config: { n: 2, size: '1x1' },
    audio: { voice: 'v', format: 'wav' },
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    max_tokens: 9,
    temperature: 0.5,
    top_p: 0.5,
    stream: true,
    prompt_cache_key: 'k',
    transforms: ['middle-out'],
    models: ['c/d'],
    provider: { only: ['p'] },
    route: 'sort',
  });
  assert.equal(turn, chat);
});

it('images and documents come by bytes, by URL and as stored files (rule I84)', () => {
  const turn = parse({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'https://a.b/c.png', detail: 'low' },
          { type: 'input_image', file_id: 'file_1' },
          { type: 'input_file', file_data: 'AAAA', filename: 'a.pdf' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA' },
          { type: 'input_file', file_url: 'https://a.b/c.pdf' },
          { type: 'input_file', file_id: 'file_2' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'file_3' }] },
    ],
  });
  const [message] = turn.messages;
  assert.ok(message && 'parts' in message);
  assert.equal(message.parts?.slice(0, 3), [
    { type: 'image', source: { kind: 'url', url: 'https://a.b/c.png' }, detail: 'low' },
    turn.files?.[0]?.part,
    { type: 'file', source: { kind: 'data', mediaType: null, base64: 'AAAA' }, filename: 'a.pdf' },
  ]);
  assert.equal(message.parts?.slice(3), [
    { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', base64: 'AAAA' } },
    { type: 'file', source: { kind: 'url', url: 'https://a.b/c.pdf' } },
    turn.files?.[1]?.part,
    { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', base64: 'AAAA' } },
  ]);
  assert.equal(
    turn.files?.map(({ id, member }) => [id, member]),
    [
      ['file_1', 'input[0].content[1].file_id'],
      ['file_2', 'input[0].content[5].file_id'],
      ['file_3', 'input[1].output[0].file_id'],
    ],
  );
  assert.equal(turn.modalities, { input: ['image', 'file', 'audio'], output: [] });
  const files = Array.from({ length: 17 }, (_, at) => ({ type: 'input_file', file_id: `file_${at}` }));
  assert.is(refused({ input: [{ role: 'user', content: files }] }), 'input must name at most 16 stored files');
});

it('a part needs exactly one source (rule I39)', () => {
  const part = (members: object): string => refused({ input: [{ role: 'user', content: [members] }] });
  assert.match(part({ type: 'input_file' }), /^input\[0\]\.content\[0\] must have file_id, file_data or file_url$/);
  assert.match(part({ type: 'input_file', file_id: 'f', file_data: 'AAAA' }), /one of file_id, file_data and file_url/);
  assert.match(part({ type: 'input_file', file_url: 'https://a.b', file_data: 'AAAA' }), /one of/);
  assert.match(part({ type: 'input_image' }), /must have image_url or file_id/);
  assert.match(part({ type: 'input_image', image_url: PNG, file_id: 'f' }), /never both/);
  assert.match(part({ type: 'input_image', image_url: 'ftp://a' }), /^input\[0\]\.content\[0\]\.image_url must be/);
});

it('what an answer carried is accepted back: reasoning, text, refusal, media and calls are one message', () => {
  const turn = parse({
    input: [
      { role: 'user', content: 'W?' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Let me look.' }] },
      {
        ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
        content: [
          { type: 'output_text', text: 'Yes', annotations: [], logprobs: [] },
          { type: 'output_image', image_url: PNG },
          { type: 'output_audio', id: 'a', data: 'AAAA', transcript: ' spoken', expires_at: 5 },
        ],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ],
  });
  assert.equal(turn.messages.slice(1), [
    {
      role: 'assistant',
      text: 'Yes spoken',
      reasoning: 'Let me look.',
      toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
    },
    { role: 'tool', text: 'ok', toolCallId: 'c', toolName: 'f' },
    { role: 'assistant', text: null, refusal: 'No' },
  ]);
});

it('reasoning belongs to the item behind it, and at the end of a turn to the item before', () => {
  const think = (text: string): object => ({ type: 'reasoning', summary: [{ type: 'summary_text', text }] });
  const say = (content: string): object => ({ role: 'assistant', content });
  const user = { role: 'user', content: 'u' };
  const messages = (...input: object[]): unknown => parse({ input }).messages.filter(({ role }) => role !== 'user');
  assert.equal(messages(think('a'), say('x'), think('b'), say('y'), user), [
    { role: 'assistant', text: 'x', reasoning: 'a' },
    { role: 'assistant', text: 'y', reasoning: 'b' },
  ]);
  assert.equal(messages(say('x'), think('a'), user), [{ role: 'assistant', text: 'x', reasoning: 'a' }]);
  assert.equal(messages(think('a'), user), [{ role: 'assistant', text: null, reasoning: 'a' }]);
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c', output: '' };
  assert.equal(messages(say('x'), call, say('y'), result), [
    {
      ...{ role: 'assistant', text: 'x\n\ny', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
      blocks: [
        { type: 'text', text: 'x' },
        { type: 'call', call: { id: 'c', name: 'f', arguments: '{}' } },
        { type: 'text', text: 'y' },
      ],
    },
    { role: 'tool', text: '', toolCallId: 'c', toolName: 'f' },
  ]);
});

it('sealed reasoning survives the way to the client and back, unchanged and in order (rule I91)', () => {
  const details: ReasoningDetail[] = [
    { type: 'reasoning.text', text: 'Zürich [[[{"', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'xyz', id: null, index: 1 },
  ];
  const frames = responsesReplyDialect(MODEL).frames({ id: 'gen-1', created: 1, model: 'a/b', provider: 'P' });
  frames.of(details.map((detail) => ({ type: 'reasoning-detail', detail })));
  frames.of([
    { type: 'text-delta', text: 'x' },
    { type: 'finish', reason: 'stop', native: null },
  ]);
  const last = frames.end(null);
  const { response } = JSON.parse(last.slice(last.indexOf('data: ') + 6)) as { response: { output: object[] } };
  assert.equal(parse({ input: [...response.output, { role: 'user', content: 'And?' }] }).messages[0], {
    role: 'assistant',
    text: 'x',
    reasoningDetails: details,
  });
});

it('encrypted content of another origin is data for its provider; a damaged text of ours is refused (rule I91)', () => {
  assert.equal(openReasoning('gAAAA', 'm'), [{ type: 'reasoning.encrypted', data: 'gAAAA' }]);
  assert.is(sealReasoning([{ type: 'reasoning.text', text: 'x' }]), null);
  const sealed = (value: unknown): string => `rd1.${Buffer.from(JSON.stringify(value)).toString('base64')}`;
  const content = (encrypted_content: string): string =>
    refused({ input: [{ type: 'reasoning', summary: [], encrypted_content }] });
  for (const damaged of [
    ...['rd1.', 'rd1.%', sealed({}), sealed([1]), sealed([{ type: 'x' }])],
    ...[sealed([{ type: 'reasoning.text', text: 5 }]), sealed([{ type: 'reasoning.text', more: 1 }])],
    `rd1.${Buffer.from('['.repeat(30_000)).toString('base64')}`,
  ]) {
    assert.match(content(damaged), /^input\[0\]\.encrypted_content is not what an earlier answer carried$/);
  }
});

it('what the dialect does not support is refused, naming the member (rule I85)', () => {
  const rows: readonly (readonly [object, RegExp])[] = [
    [{ previous_response_id: 'resp_1' }, /^previous_response_id must be null/],
    [{ conversation: 'conv_1', input: undefined }, /^conversation must be null/],
    [{ conversation: { id: 'conv_1' } }, /^conversation must be null/],
    [{ prompt: { id: 'pmpt_1' }, input: undefined }, /^prompt must be null/],
    [{ generate: false }, /^generate must be true/],
    [{ background: true }, /^background must be false/],
    [{ stream: true, stream_options: { include_tool_dispatch: true } }, /^stream_options\.include_tool_dispatch is/],
    [
      { tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] },
      /^tools\[1\]\.type must be one of "function", "namespace", not "web_search"/,
    ],
    [{ tools: [{ type: 'web_search_preview_2025_03_11' }] }, /^tools\[0\]\.type must be one of "function"/],
    [{ tools: [{ type: 'function', name: 'a b' }] }, /^tools\[0\]\.name must match/],
    [{ tool_choice: 'required' }, /^tool_choice asks for a tool call/],
    [{ tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'function', name: 'g' } }, /not among tools/],
    [{ text: { format: { type: 'grammar' } } }, /^text\.format\.type must be one of "text", .*, not "grammar"/],
    [{ text: { format: { type: 'json_schema', schema: {} } } }, /^text\.format\.name is required/],
    [{ modalities: ['video'] }, /^modalities\[0\] must be one of/],
    [{ audio: { voice: 'v' } }, /^audio\.format is required/],
    [{ image_config: { n: 11 } }, /^image_config\.n must be at most 10/],
    [{ reasoning: { effort: 'most' } }, /^reasoning\.effort must be one of/],
    [{ plugins: [{ id: 'web' }] }, /^plugins\[0\]\.id must be/],
    [{ max_output_tokens: 0 }, /^max_output_tokens must be at least 1/],
    [{ temperature: 2.1 }, /^temperature must be at most 2/],
    [{ top_p: 1.1 }, /^top_p must be at most 1/],
    [{ input: [] }, /^input must have at least 1 item/],
    [{ input: undefined }, /^input is required/],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, /^input\[0\]: nothing is retained/],
    [{ input: [{ type: 'custom_tool_call' }] }, /^input\[0\]\.type must be one of "function_call", .*"message"/],
    [{ input: [{ content: 'x' }] }, /^input\[0\]\.role is required/],
    [{ input: [{ role: 'user', content: [{ type: 'smell' }] }] }, /^input\[0\]\.content\[0\]\.type must be one of/],
    [{ input: [{ role: 'user', content: [{ type: 'output_image', image_url: PNG }] }] }, /assistant messages/],
    [{ input: [{ role: 'assistant', content: [{ type: 'input_image', image_url: PNG }] }] }, /has no input_image/],
    [{ model: undefined }, /^model is required/],
  ];
  for (const [members, message] of rows) assert.match(refused(members), message);
});

it('members without effect reach no provider and no record (rule I84)', () => {
  const plain = parse({});
  const members = { store: true, include: ['reasoning.encrypted_content'], metadata: { a: 1 }, user: 'u' };
  assert.equal(parse({ ...members, previous_response_id: null, background: false, unknown: 1 }), plain);
  assert.equal(parse({ store: false }), plain);
  assert.equal(parse({ text: { format: { type: 'text' } }, tools: [], tool_choice: 'auto' }), plain);
});

it('the cache key outranks the session, and a ceiling beyond every endpoint is that of the other dialects (rule I125)', () => {
  assert.is(parse({ prompt_cache_key: 'k' }, 's').conversation, 'k');
  assert.is(parse({}, 's').conversation, 's');
  assert.is(parse({ max_output_tokens: 5e9 }).completionTokensMax, 1_048_576);
  assert.is(parse({ top_p: 0 }).sampling.top_p, 0);
});

it('a path that a provider names is the path in this dialect', () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ['messages[2].content[0].image_url.url', 'input'],
    ['tools[1].function.parameters', 'tools[1].parameters'],
    ['tool_choice.function.name', 'tool_choice.name'],
    ['response_format.json_schema', 'text.format.schema'],
    ['response_format.type', 'text.format.type'],
    ['max_tokens', 'max_output_tokens'],
    ['reasoning_effort', 'reasoning.effort'],
    ['temperature', 'temperature'],
    ['logit_bias', null],
    ['seed', null],
  ];
  for (const [path, own] of rows) assert.is(pathOf(path), own, path);
});

test.run();
