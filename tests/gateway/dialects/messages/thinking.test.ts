import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { messagesReplyDialect } from '../../../../gateway/dialects/messages/messages-dialect.ts';
import { parse } from '../../../../gateway/dialects/messages/parse.ts';
import { conversationWriter } from '../../../../gateway/providers/chat/conversation.ts';
import { conversation } from '../../../../gateway/providers/messages/conversation.ts';
import type { ReasoningDetail, TurnMessage } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { MessagesJudge } from '../../../support/stream/messages-judge.ts';

/** Thinking goes out as blocks and comes back as it was, whoever signed it. (rule I80) */
const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1, model: 'a/b', provider: 'P' };
const NATIVE = 'anthropic-claude-v1';
const CALL: readonly TurnEvent[] = [
  { type: 'tool-start', index: 0, id: 'c', name: 'f' },
  { type: 'tool-delta', index: 0, arguments: '{"n":1}' },
  { type: 'finish', reason: 'tool_calls', native: null },
];

function eventsOf(details: readonly ReasoningDetail[]): TurnEvent[] {
  return [...details.map((detail): TurnEvent => ({ type: 'reasoning-detail', detail })), ...CALL];
}

/** The assistant's message of the next turn, after a client sent the blocks of a reply back. */
function sentBack(content: unknown): TurnMessage {
  const messages = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'five' }] },
  ];
  const turn = parse({ model: 'a/b', max_tokens: 9, messages });
  assert.is(turn.messages.length, 3);
  return turn.messages[1] as TurnMessage;
}

function wholeContent(events: readonly TurnEvent[]): unknown {
  return JSON.parse(messagesReplyDialect([]).whole(HEAD, events, null)).content;
}

function streamedContent(events: readonly TurnEvent[]): unknown[] {
  const frames = messagesReplyDialect([]).frames(HEAD);
  const text = events.map((event) => frames.of([event])).join('') + frames.end(null);
  const verdict = MessagesJudge.of(text);
  assert.equal(verdict.faults, []);
  const blocks: Record<string, unknown>[] = [];
  for (const { type, content_block: block, delta } of verdict.events) {
    if (type === 'content_block_start') blocks.push({ ...(block as object) });
    if (type !== 'content_block_delta') continue;
    const last = blocks.at(-1) as Record<string, unknown>;
    const { type: _, partial_json: json, ...pieces } = delta as Record<string, string>;
    for (const [name, piece] of Object.entries(pieces)) last[name] = `${last[name]}${piece}`;
    if (json !== undefined) last.input = JSON.parse(json);
  }
  return blocks;
}

const signature = fc.base64String({ minLength: 4, maxLength: 40 });
const detail: fc.Arbitrary<ReasoningDetail> = fc.oneof(
  fc.record({
    type: fc.constant('reasoning.text' as const),
    text: fc.string({ minLength: 1 }),
    signature,
    format: fc.constant(NATIVE),
  }),
  fc.record({ type: fc.constant('reasoning.encrypted' as const), data: signature, format: fc.constant(NATIVE) }),
  fc.record(
    {
      type: fc.constant('reasoning.text' as const),
      text: fc.string({ unit: 'binary', minLength: 1 }),
      signature,
      format: fc.constantFrom('google-gemini-v1', 'unknown'),
      index: fc.nat(9),
    },
    { requiredKeys: ['type', 'text', 'format'] },
  ),
  fc.record(
    {
      type: fc.constant('reasoning.summary' as const),
      summary: fc.string({ minLength: 1 }),
      format: fc.string(),
      id: fc.string(),
    },
    { requiredKeys: ['type', 'summary'] },
  ),
  fc.record(
    { type: fc.constant('reasoning.encrypted' as const), data: fc.string(), id: fc.string(), index: fc.nat(9) },
    { requiredKeys: ['type', 'data', 'id'] },
  ),
);
/** Entries of one reply have different indexes: an equal one would make them fragments. */
const details = fc
  .array(detail, { minLength: 1, maxLength: 5 })
  .map((all) => all.map((each, index) => ('index' in each ? { ...each, index } : { ...each })));

/** As an endpoint that has reasoned in structured entries receives it. */
const chatText = (messages: readonly TurnMessage[]): string =>
  conversationWriter(endpointOf(), { reasonedIn: 'details' })({ messages });

it('structured reasoning of any provider comes back as it was, from a whole reply and from a stream (rule I80)', () => {
  fc.assert(
    fc.property(details, (sent) => {
      for (const content of [wholeContent(eventsOf(sent)), streamedContent(eventsOf(sent))]) {
        const message = sentBack(content);
        assert.ok(message.role === 'assistant');
        assert.equal(message.reasoningDetails, sent);
        assert.equal(message.toolCalls, [{ id: 'c', name: 'f', arguments: '{"n":1}' }]);
      }
    }),
    { numRuns: 300, examples: [[[{ type: 'reasoning.text', text: '\u2028\u0000', format: 'unknown' }]]] },
  );
});

it('a tool conversation with thinking reaches a chat endpoint and a messages endpoint as each wrote it', () => {
  const foreign = {
    type: 'reasoning.encrypted',
    data: 'gAAA',
    id: 'rs_1',
    format: 'openai-responses-v1',
    index: 0,
  } as const;
  const chat = sentBack(wholeContent(eventsOf([foreign])));
  const [wire] = JSON.parse(chatText([chat]));
  assert.equal(wire.reasoning_details, [foreign]);
  const own = { type: 'reasoning.text', text: 'hm', signature: 'EqQB', format: NATIVE } as const;
  const native = sentBack(wholeContent(eventsOf([own, foreign])));
  const [, turn] = JSON.parse(conversation([native]).messages);
  assert.equal(turn.content, [
    { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
    { type: 'tool_use', id: 'c', name: 'f', input: { n: 1 } },
  ]);
  const [sent] = JSON.parse(chatText([native]));
  assert.equal(sent.reasoning_details, [own, foreign]);
});

it('plain reasoning is a thinking block without a signature, and plain reasoning again', () => {
  const events: TurnEvent[] = [{ type: 'reasoning-delta', text: 'h' }, { type: 'reasoning-delta', text: 'm' }, ...CALL];
  for (const content of [wholeContent(events), streamedContent(events)]) {
    assert.equal((content as object[])[0], { type: 'thinking', thinking: 'hm', signature: '' });
    const [wire] = JSON.parse(chatText([sentBack(content)]));
    assert.equal([wire.reasoning, wire.reasoning_details], ['hm', undefined]);
  }
});

it('a signature or data that only looks like ours is taken as a provider wrote it (rule I80)', () => {
  const forged = [
    'troupe1.',
    'troupe1.e30',
    'troupe1.!!!',
    `troupe1.${Buffer.from('{"type":"other"}').toString('base64url')}`,
    `troupe1.${Buffer.from('['.repeat(50_000)).toString('base64url')}`,
    `troupe1.${Buffer.from('null').toString('base64url')}`,
  ];
  for (const text of forged) {
    const message = sentBack([
      { type: 'thinking', thinking: 'hm', signature: text },
      { type: 'redacted_thinking', data: text },
    ]);
    assert.ok(message.role === 'assistant');
    assert.equal(message.reasoningDetails, [
      { type: 'reasoning.text', text: 'hm', signature: text, format: NATIVE },
      { type: 'reasoning.encrypted', data: text, format: NATIVE },
    ]);
  }
});

it('members of another type in a mark of ours are dropped', () => {
  const members = { type: 'reasoning.encrypted', data: { a: 1 }, id: 5, format: null, index: -1, extra: 'x' };
  const data = `troupe1.${Buffer.from(JSON.stringify(members)).toString('base64url')}`;
  const message = sentBack([{ type: 'redacted_thinking', data }]);
  assert.ok(message.role === 'assistant');
  // A nested object is no mark at all.
  assert.equal(message.reasoningDetails, [{ type: 'reasoning.encrypted', data, format: NATIVE }]);
});

test.run();
