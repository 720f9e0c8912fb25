import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

/** rule I38, rule I39, rule B42. */
const it = bounded(test);

const PNG = 'iVBORw0KGgo=';

function turnOf(...messages: unknown[]): Turn {
  return parse({ model: 'a/b', messages });
}

function user(...content: unknown[]): Turn {
  return turnOf({ role: 'user', content });
}

function refusalOf(...content: unknown[]): GatewayError {
  return thrownBy(() => user(...content), GatewayError);
}

const image = (url: string, detail?: unknown): unknown => ({ type: 'image_url', image_url: { url, detail } });

it('the text parts of a system turn are joined by a line break, those of a user by nothing (rule I37)', () => {
  const content = ['One.', 'Two.'].map((text) => ({ type: 'text', text }));
  for (const role of ['system', 'developer'] as const) {
    assert.equal(turnOf({ role, content }).messages, [{ role, text: 'One.\nTwo.', parts: content }]);
    assert.equal(turnOf({ role, content: content.slice(1) }).messages, [{ role, text: 'Two.' }]);
  }
  assert.equal(user(...content).messages, [{ role: 'user', text: 'One.Two.', parts: content }]);
});

it('every kind of part becomes one content part in order, beside the text of the message (rule I38)', () => {
  const turn = user(
    { type: 'text', text: 'see' },
    image('https://example.com/a.png', 'low'),
    image(`data:image/PNG;base64,${PNG}`, null),
    { type: 'video_url', video_url: { url: 'http://example.com/v' } },
    { type: 'audio_url', audio_url: { url: 'data:audio/wav;base64,UklGRg==' } },
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
    { type: 'file', file: { filename: null, file_data: 'JVBERi0=', file_id: null } },
    { type: 'file', file: { file_data: Buffer.from('Grüße'.repeat(1_000)).toString('base64') } },
    { type: 'file', file: { file_data: '/////w==' } },
    { type: 'text', text: 'and say' },
  );
  assert.equal(turn.messages, [
    {
      role: 'user',
      text: 'seeand say',
      parts: [
        { type: 'text', text: 'see' },
        { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' },
        { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: PNG } },
        { type: 'video', source: { kind: 'url', url: 'http://example.com/v' } },
        { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', base64: 'UklGRg==' } },
        { type: 'audio', source: { kind: 'data', mediaType: 'audio/wav', base64: 'UklGRg==' } },
        {
          type: 'file',
          source: { kind: 'data', mediaType: 'application/pdf', base64: 'JVBE' },
          filename: 'a.pdf',
        },
        { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', base64: 'JVBERi0=' } },
        {
          type: 'file',
          source: {
            kind: 'data',
            mediaType: 'text/plain',
            base64: Buffer.from('Grüße'.repeat(1_000)).toString('base64'),
          },
        },
        { type: 'file', source: { kind: 'data', mediaType: null, base64: '/////w==' } },
        { type: 'text', text: 'and say' },
      ],
    },
  ]);
  assert.equal(turn.modalities, { input: ['image', 'video', 'audio', 'file'], output: [] });
});

it('a text message has no parts and no modalities, whether sent as a string or as parts', () => {
  const turn = turnOf(
    { role: 'system', content: [{ type: 'text', text: 'a' }] },
    { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }], name: 'n' },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'd' }] },
  );
  assert.equal(turn.messages, [
    { role: 'system', text: 'a' },
    { role: 'user', text: 'b', name: 'n' },
    { role: 'tool', text: 'd', toolCallId: 'c' },
  ]);
  assert.is(turn.modalities, undefined);
});

it('several texts of one message stay parts, and nothing is added between them but in a system prompt', () => {
  const texts = ['one', ' two', '', '\nthree'].map((text) => ({ type: 'text', text }) as const);
  const turn = turnOf(
    { role: 'system', content: texts },
    { role: 'user', content: texts, name: 'n' },
    { role: 'tool', tool_call_id: 'c', content: texts },
  );
  const text = 'one two\nthree';
  assert.equal(turn.messages, [
    { role: 'system', text: 'one\n two\nthree', parts: texts },
    { role: 'user', text, parts: texts, name: 'n' },
    { role: 'tool', text, parts: texts, toolCallId: 'c' },
  ]);
  assert.is(turn.modalities, undefined);
});

it('input_audio and audio_url give the same audio under every name of its format (rule I42)', () => {
  const formats = { wav: 'audio/wav', mp3: 'audio/mpeg', flac: 'audio/flac', m4a: 'audio/mp4', PCM16: 'audio/pcm16' };
  for (const [format, mediaType] of Object.entries(formats)) {
    const inline = user({ type: 'input_audio', input_audio: { data: 'AAAA', format } });
    const byUrl = user({ type: 'audio_url', audio_url: { url: `data:audio/${format};base64,AAAA` } });
    assert.equal(inline, byUrl);
    const [message] = inline.messages;
    assert.ok(message?.role === 'user' && message.parts);
    assert.equal(message.parts, [{ type: 'audio', source: { kind: 'data', mediaType, base64: 'AAAA' } }]);
  }
});

it('a tool result may carry the same parts as a user message (rule I38)', () => {
  const turn = turnOf({ role: 'tool', tool_call_id: 'c', content: [image('https://example.com/a.png')] });
  assert.equal(turn.messages, [
    {
      role: 'tool',
      text: '',
      parts: [{ type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }],
      toolCallId: 'c',
    },
  ]);
  assert.equal(turn.modalities?.input, ['image']);
});

it('an assistant message keeps its reasoning, its details unchanged and in order, its refusal and its calls (rule I44)', () => {
  const details = [
    { type: 'reasoning.text', text: 'a', signature: null, index: 0, format: 'x', extra: { kept: null } },
    { type: 'reasoning.encrypted', data: '??', id: 'r1' },
    { type: 'reasoning.summary', summary: 's', index: 2 },
    { type: 'reasoning.text', signature: 'sig', index: 0 },
  ];
  const before = structuredClone(details);
  const turn = turnOf({
    role: 'assistant',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    name: 'n',
    reasoning: 'thought',
    reasoning_details: details,
    refusal: 'no',
    images: [{ type: 'image_url', image_url: { url: 'unread' } }],
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{not json' }, index: 0 }],
  });
  const [message] = turn.messages;
  assert.equal(message, {
    role: 'assistant',
    text: 'ab',
    name: 'n',
    toolCalls: [{ id: 'c', name: 'f', arguments: '{not json' }],
    reasoning: 'thought',
    reasoningDetails: before,
    refusal: 'no',
  });
  assert.ok(message?.role === 'assistant');
  assert.is(message.reasoningDetails?.[0], details[0]);
});

it('reasoning is read under both names, `reasoning` first', () => {
  const read = (members: object): unknown => turnOf({ role: 'assistant', content: 'a', ...members }).messages[0];
  assert.equal(read({ reasoning_content: 'hm' }), { role: 'assistant', text: 'a', reasoning: 'hm' });
  assert.equal(read({ reasoning: 'one', reasoning_content: 'two' }), {
    role: 'assistant',
    text: 'a',
    reasoning: 'one',
  });
  assert.equal(read({ reasoning: null, reasoning_content: null }), { role: 'assistant', text: 'a' });
});

it('nulls and empty lists at the optional members of a message count as absent', () => {
  const nulls = { name: null, reasoning: null, reasoning_details: null, refusal: null, tool_calls: null };
  assert.equal(turnOf({ role: 'assistant', content: null, ...nulls }).messages, [{ role: 'assistant', text: null }]);
  assert.equal(turnOf({ role: 'assistant', reasoning_details: [], tool_calls: [] }).messages, [
    { role: 'assistant', text: null },
  ]);
  assert.equal(turnOf({ role: 'user', content: 'x', name: null }).messages, [{ role: 'user', text: 'x' }]);
  const call = { id: 'c', type: null, function: { name: 'f', arguments: '' } };
  assert.equal(turnOf({ role: 'assistant', tool_calls: [call] }).messages, [
    { role: 'assistant', text: null, toolCalls: [{ id: 'c', name: 'f', arguments: '' }] },
  ]);
});

const BAD_DETAILS: readonly (readonly [unknown, RegExp])[] = [
  [{ type: 'reasoning.dream', text: 'x' }, /^messages\[0\]\.reasoning_details\[0\]\.type must be one of/],
  [{ type: 'reasoning.summary' }, /^messages\[0\]\.reasoning_details\[0\]\.summary is required$/],
  [{ type: 'reasoning.encrypted', data: 5 }, /^messages\[0\]\.reasoning_details\[0\]\.data must be a string$/],
  [{ type: 'reasoning.text', text: 5 }, /^messages\[0\]\.reasoning_details\[0\]\.text must be a string$/],
  [{ type: 'reasoning.text', index: -1 }, /^messages\[0\]\.reasoning_details\[0\]\.index must be at least 0$/],
];

for (const [detail, message] of BAD_DETAILS) {
  it(`400 names the member of a reasoning detail: ${JSON.stringify(detail)}`, () => {
    assert.throws(
      () => turnOf({ role: 'assistant', reasoning_details: [detail] }),
      (error: GatewayError) => error.status === 400 && message.test(error.message),
    );
  });
}

const BAD_URLS = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://example.com/a',
  'blob:https://example.com/a',
  'example.com/a.png',
  '/a.png',
  '//example.com/a.png',
  'https://',
  'https://exa mple.com/a',
  ' https://example.com/a',
  'https://example.com/a\n',
  'https://example.com/\u0000',
  `https://example.com/${'a'.repeat(8_192)}`,
  'data:',
  'data:,hello',
  'data:text/plain,hello',
  'data:image/png;base64',
  'data:image/png;base64,',
  'data:image/png;base64,AAA',
  'data:image/png;base64,AA=A',
  'data:image/png;base64,A===',
  'data:image/png;base64,====',
  'data:image/png;base64,AAA-',
  'data:image/png;base64,AAA_',
  'data:image/png;base64,AAA\n',
  'data:image/png;base64,AAA%3D',
  'data:image/png;base64,\u00c4AAA',
  'data:image;base64,AAAA',
  'data:image/png/x;base64,AAAA',
  `data:image/${'p'.repeat(65)};base64,AAAA`,
  `data:image/png;${'x'.repeat(300)};base64,AAAA`,
];

for (const url of BAD_URLS) {
  it(`400 names the member of an invalid source: ${JSON.stringify(url.slice(0, 60))} (rule I39)`, () => {
    for (const type of ['image_url', 'video_url', 'audio_url']) {
      const error = refusalOf({ type: 'text', text: 'x' }, { type, [type]: { url } });
      assert.is(error.status, 400);
      assert.ok(error.message.startsWith(`messages[0].content[1].${type}.url `), error.message);
    }
    const error = refusalOf({ type: 'file', file: { file_data: url } });
    assert.ok(error.message.startsWith('messages[0].content[0].file.file_data '), error.message);
  });
}

it('a data URL is read without regard to case, and its parameters are not part of its type (rule I43)', () => {
  const turn = user(image('DATA:Image/JPG;name=a.png;BASE64,AAAA'), image('data:;base64,AAAA'));
  const [message] = turn.messages;
  assert.ok(message?.role === 'user');
  assert.equal(message.parts, [
    { type: 'image', source: { kind: 'data', mediaType: 'image/jpeg', base64: 'AAAA' } },
    { type: 'image', source: { kind: 'data', mediaType: null, base64: 'AAAA' } },
  ]);
});

it('inline audio is base64 and has a format', () => {
  const audio = (input_audio: unknown): string => refusalOf({ type: 'input_audio', input_audio }).message;
  const at = 'messages[0].content[0].input_audio';
  assert.is(audio({ data: 'AAA', format: 'wav' }), `${at}.data must hold base64 with its padding`);
  assert.is(
    audio({ data: 'data:audio/wav;base64,AAAA', format: 'wav' }),
    `${at}.data must hold base64 with its padding`,
  );
  assert.is(audio({ data: '', format: 'wav' }), `${at}.data must not be empty`);
  assert.is(audio({ data: 'AAAA' }), `${at}.format is required`);
  assert.match(audio({ data: 'AAAA', format: 'wav;x' }), /\.input_audio\.format must match/);
  assert.match(audio({ data: 'AAAA', format: '' }), /\.input_audio\.format must match/);
});

it('a file is named by exactly one of its data and its id (rule I39)', () => {
  const file = (value: unknown): GatewayError => refusalOf({ type: 'file', file: value });
  assert.is(file({ file_id: 'f', file_data: 'AAAA' }).status, 400);
  assert.match(
    file({ file_id: 'f', file_data: 'AAAA' }).message,
    /^messages\[0\]\.content\[0\]\.file must .* never both$/,
  );
  assert.is(file({ filename: 'x' }).message, 'messages[0].content[0].file must have file_id or file_data');
  assert.is(file({ file_id: null, file_data: null }).status, 400);
  assert.is(file({ file_data: '' }).message, 'messages[0].content[0].file.file_data must not be empty');
});

it('more than sixteen stored files are refused (rule B42)', () => {
  const files = (n: number): unknown[] => Array(n).fill({ type: 'file', file: { file_id: 'file_1' } });
  const error = refusalOf(...files(17));
  assert.is(error.status, 400);
  assert.is(error.message, 'messages must name at most 16 stored files');
});

const BAD_PARTS: readonly (readonly [unknown, RegExp])[] = [
  [
    { type: 'image_url', image_url: 'https://example.com' },
    /^messages\[0\]\.content\[0\]\.image_url must be an object$/,
  ],
  [{ type: 'image_url' }, /^messages\[0\]\.content\[0\]\.image_url is required$/],
  [{ type: 'image_url', image_url: { url: null } }, /^messages\[0\]\.content\[0\]\.image_url\.url must be a string$/],
  [{ type: 'image_url', image_url: { url: 'https://a.b', detail: 5 } }, /image_url\.detail must be a string$/],
  [{ type: 'file', file: { filename: 5, file_data: 'AAAA' } }, /file\.filename must be a string$/],
  [{ type: 'file', file: { filename: 'x'.repeat(257), file_data: 'AAAA' } }, /at most 256 characters$/],
  [{ text: 'x' }, /^messages\[0\]\.content\[0\]\.type is required$/],
  ['x', /^messages\[0\]\.content\[0\]/],
  [null, /^messages\[0\]\.content\[0\]/],
];

for (const [part, message] of BAD_PARTS) {
  it(`400 names the member of a part: ${JSON.stringify(part)?.slice(0, 80)}`, () => {
    const error = refusalOf(part);
    assert.is(error.status, 400);
    assert.match(error.message, message);
  });
}

it('members with names of prototypes stay data in messages and parts', () => {
  const turn = parse(
    JSON.parse(
      '{"model":"a/b","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.b/c","__proto__":{"detail":"high"}}}],"__proto__":{"name":"x"}},{"role":"assistant","reasoning_details":[{"type":"reasoning.text","text":"a","__proto__":{"polluted":1},"constructor":1}]}]}',
    ),
  );
  const [user, answered] = turn.messages;
  assert.ok(user?.role === 'user' && answered?.role === 'assistant');
  assert.is(user.name, undefined);
  assert.equal(user.parts, [{ type: 'image', source: { kind: 'url', url: 'https://a.b/c' } }]);
  assert.is(
    JSON.stringify(answered.reasoningDetails),
    '[{"type":"reasoning.text","text":"a","__proto__":{"polluted":1},"constructor":1}]',
  );
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

test.run();
