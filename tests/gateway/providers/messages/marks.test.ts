import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conversation } from '../../../../gateway/providers/messages/conversation.ts';
import { messagesWriter } from '../../../../gateway/providers/messages/request-body.ts';
import { honoured } from '../../../../gateway/routing/honoured.ts';
import type { ContentPart, Turn, TurnMessage } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { MESSAGES_TARGET, turnOf } from '../scene.ts';

/** What the messages dialect alone expresses: marks for the cache, failed tools, blocks in their own order. */
const it = bounded(test);

const FIVE = { cache_control: { type: 'ephemeral' } };
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };

function bodyOf(requested: Partial<Turn>): Record<string, unknown> {
  return JSON.parse(messagesWriter(endpointOf({ target: MESSAGES_TARGET }))(turnOf(requested), 9)) as never;
}

it('marks for the cache are sent where they stand: system, tools, the whole prompt (rule I83)', () => {
  const body = bodyOf({
    cacheFor: '5m',
    tools: [{ name: 'f', cacheFor: '1h' }, { name: 'g' }],
    messages: [
      { role: 'system', text: 'One.', parts: [{ type: 'text', text: 'One.', cacheFor: '1h' }] },
      { role: 'user', text: 'Hi' },
      { role: 'developer', text: 'Two.' },
    ],
  });
  assert.equal(body.cache_control, FIVE.cache_control);
  assert.equal(body.system, [
    { type: 'text', text: 'One.', ...HOUR },
    { type: 'text', text: '\n\nTwo.' },
  ]);
  const [first, second] = body.tools as object[];
  assert.equal(
    [first, 'cache_control' in (second as object)],
    [{ name: 'f', input_schema: { type: 'object', properties: {} }, ...HOUR }, false],
  );
});

it('marks for the cache are sent where they stand: parts and results (rule I83)', () => {
  const body = bodyOf({
    messages: [
      {
        role: 'user',
        text: 'Hi',
        parts: [
          { type: 'text', text: 'Hi', cacheFor: '5m' },
          { type: 'image', source: { kind: 'url', url: 'https://a.b/c.png' }, cacheFor: '1h' },
        ],
      },
      { role: 'tool', text: 'five', toolCallId: 'c', cacheFor: '5m' },
    ],
  });
  const content = [
    { type: 'text', text: 'Hi', ...FIVE },
    { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' }, ...HOUR },
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'five' }], ...FIVE },
  ];
  assert.equal(body.messages, [{ role: 'user', content }]);
});

it('of more marks than the dialect takes the last four are sent, and the loss is reported (rule I83)', () => {
  const marked = (text: string) => ({ type: 'text', text, cacheFor: '5m' }) as const;
  const requested: Partial<Turn> = {
    cacheFor: '1h',
    tools: [{ name: 'f', cacheFor: '1h' }],
    messages: [
      { role: 'user', text: 'ab', parts: [marked('a'), marked('b')] },
      { role: 'tool', text: 'c', toolCallId: 'c', parts: [marked('c')], cacheFor: '5m' },
      { role: 'system', text: 'late', parts: [marked('late')] },
    ],
  };
  const { system, tools, messages, cache_control } = bodyOf(requested);
  const [{ content = [] } = {}] = messages as { content: { cache_control?: object; content?: object[] }[] }[];
  const [a, b, result] = content;
  const marks = [tools, system, a, result?.content, b, cache_control].map((each) =>
    /"ephemeral"/.test(JSON.stringify(each)),
  );
  assert.equal(marks, [false, false, false, true, true, true]);
  assert.equal(result?.cache_control, FIVE.cache_control);
  const endpoint = endpointOf({ target: MESSAGES_TARGET });
  assert.is(honoured(turnOf(requested), endpoint, 9).cache_control, false);
  assert.is(honoured(turnOf({ ...requested, tools: [], messages: [] }), endpoint, 9).cache_control, undefined);
});

it('a document of blocks and a result of a search are blocks of their own, in a turn and in a result', () => {
  const found = { type: 'search_result', source: 'https://s.test/a', title: 'A', cited: true } as const;
  const report = { type: 'document', title: 'R', context: 'C' } as const;
  const picture = { type: 'image', source: { kind: 'url', url: 'https://a.b/c.png' } } as const;
  const parts: readonly ContentPart[] = [
    { type: 'text', text: 'Compare:' },
    { type: 'text', text: 'one', origin: found },
    { type: 'text', text: ' ', origin: found },
    { type: 'text', text: 'two', origin: found, cacheFor: '5m' },
    { type: 'text', text: 'three', origin: report },
    { ...picture, origin: report },
    { type: 'text', text: 'four', origin: { ...report } },
  ];
  const { messages } = bodyOf({
    messages: [
      { role: 'user', text: 'Hi', parts },
      { role: 'tool', text: 'x', toolCallId: 'c', parts: parts.slice(1, 4) },
    ],
  });
  const text = (text: string) => ({ type: 'text', text });
  const named = { title: 'R', context: 'C' };
  const search = {
    ...{ type: 'search_result', source: 'https://s.test/a', title: 'A', content: [text('one'), text('two')] },
    ...{ citations: { enabled: true }, ...FIVE },
  };
  const image = { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } };
  const document = (...content: object[]) => ({ type: 'document', source: { type: 'content', content }, ...named });
  assert.equal(messages, [
    {
      role: 'user',
      content: [
        text('Compare:'),
        search,
        document(text('three'), image),
        document(text('four')),
        { type: 'tool_result', tool_use_id: 'c', content: [search] },
      ],
    },
  ]);
});

it('a failed tool says so', () => {
  const { messages } = conversation([{ role: 'tool', text: 'no disk', toolCallId: 'c', isError: true }]);
  const [turn] = JSON.parse(messages) as { content: object[] }[];
  const content = [{ type: 'text', text: 'no disk' }];
  assert.equal(turn?.content, [{ type: 'tool_result', tool_use_id: 'c', content, is_error: true }]);
});

it('blocks of an assistant keep their order, and thinking that another dialect signed is left out', () => {
  const call = { id: 'c', name: 'f', arguments: '{"a":1}' };
  const detail = { type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' } as const;
  const message: TurnMessage = {
    role: 'assistant',
    text: 'onetwo',
    toolCalls: [call],
    reasoningDetails: [detail],
    blocks: [
      { type: 'text', text: 'one' },
      { type: 'reasoning', detail },
      { type: 'reasoning', detail: { ...detail, format: 'another' } },
      { type: 'call', call, cacheFor: '5m' },
      { type: 'text', text: 'two', cacheFor: '1h' },
    ],
  };
  const [, turn] = JSON.parse(conversation([message]).messages) as { content: object[] }[];
  assert.equal(turn?.content, [
    { type: 'text', text: 'one' },
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 }, ...FIVE },
    { type: 'text', text: 'two', ...HOUR },
  ]);
});

test.run();
