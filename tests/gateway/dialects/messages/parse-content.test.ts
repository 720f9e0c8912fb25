import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../gateway/dialects/messages/parse.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

/** rule I71. */
const it = bounded(test);
const BASE = { model: 'a/b', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };

function refusal(more: object): GatewayError {
  return thrownBy(() => parse({ ...BASE, ...more }), GatewayError);
}

const userOf = (...content: object[]): unknown => parse({ ...BASE, messages: [{ role: 'user', content }] }).messages;

it('pictures and documents by their bytes, by URL, and as stored files (rule I71)', () => {
  const base64 = { type: 'base64', media_type: 'image/PNG', data: 'iVBORw0K' };
  assert.equal(userOf({ type: 'image', source: base64 }, { type: 'text', text: 'What?' }), [
    {
      role: 'user',
      text: 'What?',
      parts: [
        { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'iVBORw0K' } },
        { type: 'text', text: 'What?' },
      ],
    },
  ]);
  const url = { type: 'url', url: 'https://a.b/c.pdf' };
  const described = { title: 'T', context: 'C', cache_control: { type: 'ephemeral' } };
  const source = { kind: 'url', url: 'https://a.b/c.pdf' };
  assert.equal(userOf({ type: 'document', source: url, ...described }), [
    {
      role: 'user',
      text: '',
      parts: [{ type: 'file', source, filename: 'T', context: 'C', cacheFor: '5m' }],
    },
  ]);
  const plain = { type: 'text', media_type: 'text/plain', data: 'é' };
  const [{ parts: [read] = [] } = {}] = userOf({ type: 'document', source: plain }) as { parts?: object[] }[];
  assert.equal(read, { type: 'file', source: { kind: 'data', mediaType: 'text/plain', base64: 'w6k=' } });
  const turn = parse({
    ...BASE,
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c',
            content: [{ type: 'document', source: { type: 'file', file_id: 'file_2' }, title: 'T' }],
          },
        ],
      },
    ],
  });
  assert.equal(
    turn.files?.map(({ id, member }) => [id, member]),
    [
      ['file_1', 'messages[0].content[0].source.file_id'],
      ['file_2', 'messages[1].content[0].content[0].source.file_id'],
    ],
  );
  for (const { part } of turn.files ?? []) {
    assert.ok(
      turn.messages.some((message) => 'parts' in message && message.parts?.includes(part)),
      'found by identity',
    );
  }
  for (const [source, expected] of [
    [{ ...base64, data: 'AAA' }, 'messages[0].content[0].source.data must hold base64 with its padding'],
    [{ type: 'url', url: 'file:///etc/passwd' }, 'messages[0].content[0].source.url must be an https:'],
    [{ type: 'other' }, 'messages[0].content[0].source.type must be one of'],
  ] as const) {
    const { message } = refusal({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    assert.ok(message.startsWith(expected), message);
  }
  const files = Array(17).fill({ type: 'image', source: { type: 'file', file_id: 'file_1' } });
  assert.match(refusal({ messages: [{ role: 'user', content: files }] }).message, /at most 16 stored files/);
});

it('a document of blocks and a result of a search are the parts that they hold, with one origin each (rule I71)', () => {
  const cache_control = { type: 'ephemeral' };
  const content = [
    { type: 'text', text: 'one' },
    { type: 'image', source: { type: 'file', file_id: 'file_1' } },
  ];
  const document = { type: 'document', source: { type: 'content', content }, title: 'T', context: 'C', cache_control };
  const found = {
    ...{ type: 'search_result', source: 'https://s.test/a', title: 'A', citations: { enabled: true } },
    content: [
      { type: 'text', text: 'two', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'three' },
    ],
  };
  const plain = { type: 'document', source: { type: 'content', content: 'four' }, citations: { enabled: false } };
  const result = { type: 'tool_result', tool_use_id: 'c', content: [found] };
  const turn = parse({ ...BASE, messages: [{ role: 'user', content: [document, plain, result] }] });
  const [tool, user] = turn.messages as readonly { text: string; parts: readonly { origin?: object }[] }[];
  const report = { type: 'document', title: 'T', context: 'C' };
  const search = { type: 'search_result', source: 'https://s.test/a', title: 'A', cited: true };
  assert.equal(tool?.parts, [
    { type: 'text', text: 'two', origin: search, cacheFor: '1h' },
    { type: 'text', text: 'three', origin: search },
  ]);
  const stored = { kind: 'stored', mediaType: null, bytes: 0 };
  assert.equal(user?.parts, [
    { type: 'text', text: 'one', origin: report },
    { type: 'file', source: stored, origin: report, cacheFor: '5m' },
    { type: 'text', text: 'four', origin: { type: 'document' } },
  ]);
  assert.equal([tool?.text, user?.text], ['twothree', 'onefour']);
  assert.is(user?.parts[0]?.origin, user?.parts[1]?.origin);
  assert.equal(turn.modalities?.input, ['image'], 'text of a document needs no endpoint that reads documents');
  assert.equal(
    turn.files?.map(({ member }) => member),
    ['messages[0].content[0].source.content[1].source.file_id'],
  );
  const nested = { ...document, source: { type: 'content', content: [document] } };
  assert.match(refusal({ messages: [{ role: 'user', content: [nested] }] }).message, /content\[0\]/);
});

test.run();
