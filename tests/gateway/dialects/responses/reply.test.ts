import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { responsesReplyDialect } from '../../../../gateway/dialects/responses/responses-dialect.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { ResponsesJudge } from '../../../support/stream/responses-judge.ts';

const it = bounded(test);
const HEAD = { id: 'gen-1750000000-abc', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };
const CLOSING = { usage: { promptTokens: 5, completionTokens: 2 }, cost: '0.0000123', honoured: { tools: true } };
const FINISH: TurnEvent = { type: 'finish', reason: 'stop', native: 'eos' };
const text = (said: string): TurnEvent => ({ type: 'text-delta', text: said });

type Members = Readonly<Record<string, unknown>>;
type Item = Members & { readonly type: string; readonly status: string };
const REPLY = responsesReplyDialect({ model: 'a/b' });

function streamed(batches: readonly (readonly TurnEvent[])[], closing: typeof CLOSING | null = CLOSING) {
  const frames = REPLY.frames(HEAD);
  const wire = REPLY.processing + batches.map((batch) => frames.of(batch)).join('') + frames.end(closing);
  const verdict = ResponsesJudge.of(wire, { usageOptional: closing === null });
  assert.equal(verdict.faults, [], wire.slice(0, 4_000));
  return { ...verdict, final: verdict.final as Members, wire };
}

function whole(events: readonly TurnEvent[], closing: typeof CLOSING | null = CLOSING): Members {
  return JSON.parse(REPLY.whole(HEAD, events, closing));
}

/** The first text of an item. */
const saidOf = (item: Item | undefined): unknown => (item?.content as { text: string }[] | undefined)?.[0]?.text;
const typesOf = (events: readonly Members[]): string[] =>
  events.map(({ type }) => String(type).replace('response.', ''));
const itemsOf = (response: Members): readonly Item[] => response.output as Item[];

it('a text is the sequence of events that clients accumulate, in this order and with these members (rule I88)', () => {
  const { events, final } = streamed([[text('Hel')], [text('lo "x"\n')], [FINISH]]);
  assert.equal(typesOf(events), [
    ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta'],
    ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
  ]);
  const id = 'msg_1750000000-abc_0';
  const part = { type: 'output_text', text: 'Hello "x"\n', annotations: [], logprobs: [] };
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [part] };
  const at = { item_id: id, output_index: 0, content_index: 0 };
  assert.equal(events.slice(2, 9), [
    {
      ...{ type: 'response.output_item.added', sequence_number: 2, output_index: 0 },
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', sequence_number: 3, ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', sequence_number: 4, ...at, delta: 'Hel', logprobs: [] },
    { type: 'response.output_text.delta', sequence_number: 5, ...at, delta: 'lo "x"\n', logprobs: [] },
    { type: 'response.output_text.done', sequence_number: 6, ...at, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', sequence_number: 7, ...at, part },
    { type: 'response.output_item.done', sequence_number: 8, output_index: 0, item },
  ]);
  assert.equal(final.output, [item]);
  assert.equal(final.honoured, { tools: true });
  assert.equal(final.usage, {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 7,
    cost: 0.0000123,
  });
});

it('parallel calls are items of their own, also where their fragments alternate (rule I88)', () => {
  const start = (index: number): TurnEvent => ({ type: 'tool-start', index, id: `call_${index}`, name: `f${index}` });
  const piece = (index: number, given: string): TurnEvent => ({ type: 'tool-delta', index, arguments: given });
  for (const order of [
    [start(0), piece(0, '{"a":'), piece(0, '1}'), start(1), piece(1, '{}'), text('and')],
    [start(0), piece(0, '{"a":'), start(1), text('and'), piece(1, '{'), piece(0, '1}'), piece(1, '}')],
    [start(0), start(1), piece(1, '{}'), piece(0, '{"a":1}'), text('and')],
  ]) {
    const { final } = streamed(order.map((event) => [event]).concat([[FINISH]]));
    assert.equal(
      itemsOf(final).map(({ type, call_id, arguments: given }) => [type, call_id, given]),
      [
        ['function_call', 'call_0', '{"a":1}'],
        ['function_call', 'call_1', '{}'],
        ['message', undefined, undefined],
      ],
    );
  }
});

it('the second of two sequential calls is streamed as it arrives', () => {
  const frames = REPLY.frames(HEAD);
  frames.of([{ type: 'tool-start', index: 0, id: 'a', name: 'f' }]);
  frames.of([{ type: 'tool-delta', index: 0, arguments: '{"a":1}' }]);
  assert.match(frames.of([{ type: 'tool-start', index: 1, id: 'b', name: 'g' }]), /"call_id":"b"/);
  assert.match(frames.of([{ type: 'tool-delta', index: 1, arguments: '{' }]), /function_call_arguments.delta/);
});

it('a call without arguments is complete with an empty object', () => {
  const { final, events } = streamed([[{ type: 'tool-start', index: 0, id: 'a', name: 'f' }], [FINISH]]);
  assert.is(itemsOf(final)[0]?.arguments, '{}');
  assert.ok(events.some(({ type, delta }) => type === 'response.function_call_arguments.delta' && delta === '{}'));
  const cut = streamed([[{ type: 'tool-start', index: 0, id: 'a', name: 'f' }], [{ ...FINISH, reason: 'length' }]]);
  assert.is(itemsOf(cut.final)[0]?.arguments, '');
});

it('excluded reasoning leaves no item, in the stream and in the whole reply', () => {
  const reply = responsesReplyDialect({ model: 'a/b', reasoning: { exclude: true } });
  const detail = { type: 'reasoning.encrypted', data: 'x', index: 0 } as const;
  const events: TurnEvent[] = [
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'reasoning-detail', detail },
    text('Hi'),
    FINISH,
  ];
  const frames = reply.frames(HEAD);
  const wire = reply.processing + frames.of(events) + frames.end(CLOSING);
  assert.equal(ResponsesJudge.of(wire, {}).faults, []);
  assert.not.match(wire, /Hm\.|"type":"reasoning"/);
  const types = itemsOf(JSON.parse(reply.whole(HEAD, events, CLOSING))).map(({ type }) => type);
  assert.equal(types, ['message']);
});

it('honoured names settings as this dialect does (rule I51)', () => {
  const honoured = { reasoning_effort: true, response_format: true, structured_outputs: false, top_p: true };
  const { final } = streamed([[text('x'), FINISH]], { ...CLOSING, honoured } as never);
  assert.equal(final.honoured, {
    ...{ 'reasoning.effort': true, 'text.format': true, structured_outputs: false, top_p: true },
  });
});

it('reasoning is shown once, and what has to be sent back is sealed in its item (rule I91)', () => {
  const detail = (more: object): TurnEvent => ({
    type: 'reasoning-detail',
    detail: { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1', ...more },
  });
  const { events, final } = streamed([
    [{ type: 'reasoning-delta', text: 'Let me ' }, detail({ text: 'Let me ' })],
    [{ type: 'reasoning-delta', text: 'look.' }, detail({ text: 'look.' })],
    [detail({ signature: 'c2ln' })],
    [text('Yes')],
    [FINISH],
  ]);
  assert.equal(typesOf(events).slice(2, 9), [
    ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.delta', 'reasoning_summary_text.done', 'reasoning_summary_part.done'],
    'output_item.done',
  ]);
  const [thought] = itemsOf(final);
  assert.equal(thought?.summary, [{ type: 'summary_text', text: 'Let me look.' }]);
  assert.match(String(thought?.encrypted_content), /^rd1\./);
});

it('structured reasoning alone is shown, each entry as a part; an encrypted entry behind the text is an item of its own', () => {
  const { final } = streamed([
    [{ type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: 'One.', index: 0 } }],
    [{ type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: 'Two.', index: 1 } }],
    [text('Yes')],
    [{ type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data: 'xyz', index: 2 } }],
    [text(' indeed')],
    [FINISH],
  ]);
  const [thought, said, late] = itemsOf(final);
  assert.equal(
    (thought?.summary as { text: string }[] | undefined)?.map((each) => each.text),
    ['One.', 'Two.'],
  );
  assert.is(thought?.encrypted_content, null);
  assert.is(saidOf(said), 'Yes indeed');
  assert.equal([late?.type, late?.summary], ['reasoning', []]);
  assert.match(String(late?.encrypted_content), /^rd1\./);
});

it('refusals, pictures and speech are parts of the message, and a picture is added and done in one pair (rule I87)', () => {
  const { events, final } = streamed([
    [text('Look:')],
    [{ type: 'image', url: 'data:image/png;base64,AAAA', index: 0 }],
    [{ type: 'audio-delta', id: 'a1', data: 'AAAAA', transcript: 'hel' }],
    [{ type: 'audio-delta', data: 'BBB', transcript: 'lo', expiresAt: 9 }],
    [{ type: 'refusal-delta', text: 'No' }],
    [FINISH],
  ]);
  assert.equal(itemsOf(final)[0]?.content, [
    { type: 'output_text', text: 'Look:', annotations: [], logprobs: [] },
    { type: 'output_image', image_url: 'data:image/png;base64,AAAA' },
    { type: 'output_audio', id: 'a1', data: 'AAAAABBB', transcript: 'hello', expires_at: 9 },
    { type: 'refusal', refusal: 'No' },
  ]);
  const pair = events.filter(({ part }) => (part as Members | undefined)?.type === 'output_image');
  assert.equal(typesOf(pair), ['content_part.added', 'content_part.done']);
  const spoken = events.filter(({ type }) => type === 'response.output_audio.delta');
  assert.ok(
    spoken.every(({ delta }) => String(delta).length % 4 === 0),
    'each piece can be decoded by itself',
  );
});

it('an answer that was cut is incomplete, with its reason (rule I90)', () => {
  for (const [reason, why] of [
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const) {
    const { events, final } = streamed([[text('Hel')], [{ type: 'finish', reason, native: null }]]);
    assert.is(events.at(-1)?.type, 'response.incomplete');
    assert.equal([final.status, final.incomplete_details], ['incomplete', { reason: why }]);
    assert.is(itemsOf(final)[0]?.status, 'incomplete');
  }
});

it('a failure is an error event with a null code, then the failed response with one of four codes (rule I89)', () => {
  for (const [status, type, code] of [
    [502, 'provider_unavailable', 'server_error'],
    [429, 'rate_limit_exceeded', 'rate_limit_exceeded'],
    [400, 'context_length_exceeded', 'context_length_exceeded'],
    [422, 'unprocessable', 'invalid_prompt'],
  ] as const) {
    const error = new GatewayError({ status, type, message: 'no "more"', detail: 'secret' });
    for (const before of [[], [text('Hel')]]) {
      const { events, final, wire } = streamed([...before.map((event) => [event]), [{ type: 'error', error }]], null);
      assert.equal(events.at(-2), {
        ...{ type: 'error', sequence_number: events.length - 2, code: null, message: 'no "more"', param: null },
      });
      assert.equal([final.status, final.error], ['failed', { code, message: 'no "more"' }]);
      assert.is(itemsOf(final).length, before.length);
      assert.not.match(wire, /secret/);
    }
  }
});

it('an unreported count is 0 and named; without a charge no count is stated (rule I74)', () => {
  const usageOf = (usage: object): Members =>
    whole([text('x'), FINISH], { ...CLOSING, usage } as typeof CLOSING).usage as Members;
  assert.equal(usageOf({ completionTokens: 2 }).heimdall, { unreported: ['input_tokens', 'total_tokens'] });
  assert.is(usageOf({ completionTokens: 2 }).output_tokens, 2);
  assert.equal(usageOf({}).heimdall, { unreported: ['input_tokens', 'output_tokens', 'total_tokens'] });
  assert.is(usageOf(CLOSING.usage).heimdall, undefined);
  const none = whole([text('x'), FINISH], null).usage as Members;
  assert.equal([none.total_tokens, none.cost], [0, undefined]);
});

it('a silent stream repeats the response so far, and its items go on (rule I92)', () => {
  const frames = REPLY.frames(HEAD);
  const keepAlive = (silentMs = 120_000): string => frames.keepAlive?.(silentMs) ?? '';
  const wire = [
    REPLY.processing,
    keepAlive(),
    frames.of([text('Hel')]),
    keepAlive(119_999),
    keepAlive(),
    frames.of([text('lo')]),
    frames.of([FINISH]),
    keepAlive(),
    frames.end(CLOSING),
  ];
  const { faults, events } = ResponsesJudge.of(wire.join(''));
  assert.equal(faults, []);
  assert.equal(typesOf(events).slice(0, 6), [
    ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'in_progress'],
  ]);
  const { response } = events[5] as { response: Members };
  assert.equal(saidOf(itemsOf(response)[0]), 'Hel');
});

it('the response repeats its request within bounds, with a placeholder for what strict clients require (rule I87)', () => {
  const request = {
    ...{ model: 'a/b', instructions: 'Be brief.', metadata: { a: 1 }, temperature: 0.5, user: 'u', store: true },
    ...{ tools: [{ type: 'function' as const, name: 'f' }], reasoning: { effort: 'low' as const } },
    text: { format: { type: 'json_schema' as const, name: 'n', schema: { type: 'object' } } },
  };
  const reply = JSON.parse(responsesReplyDialect(request).whole(HEAD, [FINISH], CLOSING)) as Members;
  assert.equal(reply.tools, [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }]);
  assert.equal((reply.text as Members).format, { ...request.text.format, description: null, strict: null });
  assert.equal([reply.instructions, reply.metadata, reply.temperature], ['Be brief.', { a: 1 }, 0.5]);
  assert.equal([reply.store, reply.parallel_tool_calls, reply.tool_choice], [false, true, 'auto']);
  assert.equal([reply.previous_response_id, reply.background, reply.truncation], [null, false, 'disabled']);
  const large = { ...request, instructions: 'x'.repeat(200_000), metadata: { a: 'x'.repeat(200_000) } };
  const bounded = JSON.parse(responsesReplyDialect(large).whole(HEAD, [FINISH], CLOSING)) as Members;
  assert.equal([bounded.instructions, bounded.metadata], [null, {}]);
});

const words = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
const index = fc.integer({ min: 0, max: 3 });
const part: fc.Arbitrary<TurnEvent> = fc.oneof(
  words.map(text),
  words.map((said): TurnEvent => ({ type: 'refusal-delta', text: said })),
  words.map((said): TurnEvent => ({ type: 'reasoning-delta', text: said })),
  fc.record({ said: words, index }).map(
    ({ said, index: at }): TurnEvent => ({
      type: 'reasoning-detail',
      detail: { type: 'reasoning.summary', summary: said, index: at },
    }),
  ),
  words.map((data): TurnEvent => ({ type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data } })),
  fc.record({ index, id: words, name: words }).map((call): TurnEvent => ({ type: 'tool-start', ...call })),
  fc
    .record({ index, arguments: fc.constantFrom('{}', '{', '}', '"a":1', '') })
    .map((piece): TurnEvent => ({ type: 'tool-delta', ...piece })),
  index.map((at): TurnEvent => ({ type: 'image', url: 'https://a.b/c', index: at })),
  fc
    .record({ data: fc.constantFrom('AA', 'AAAA', 'A'), transcript: words })
    .map((piece): TurnEvent => ({ type: 'audio-delta', ...piece })),
  fc.constant<TurnEvent>({ type: 'logprobs', content: [] }),
);
const finish = fc
  .constantFrom('stop', 'length', 'tool_calls', 'content_filter')
  .map((reason): TurnEvent => ({ type: 'finish', reason: reason as 'stop', native: null }));

it('any events in any batches make a valid stream, whose last response is the whole reply (rule I50)', () => {
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 8 }), finish, (batches, end) => {
      const { final } = streamed([...batches, [end]]);
      const { honoured: _, ...rest } = final;
      assert.equal(whole([...batches.flat(), end]), rest);
    }),
    { numRuns: 300 },
  );
});

it('text that a provider writes cannot leave its frame (rule I58)', () => {
  const hostile = 'a\n\nevent: response.completed\ndata: {}\n\n\u2028\r\n[DONE]';
  const { events } = streamed([
    [text(hostile), { type: 'reasoning-delta', text: hostile }],
    [{ type: 'tool-start', index: 0, id: hostile, name: hostile }],
    [{ type: 'tool-delta', index: 0, arguments: hostile }],
    [{ type: 'image', url: hostile, index: 0 }, { type: 'refusal-delta', text: hostile }, FINISH],
  ]);
  assert.is(events.filter(({ type }) => type === 'response.completed').length, 1);
});

it('an answer beyond the bound is refused instead of being kept in memory (rule I93)', () => {
  const frames = REPLY.frames(HEAD);
  // A fragment without its call counts, and costs this test nothing to write.
  const piece: TurnEvent = { type: 'tool-delta', index: 0, arguments: 'x'.repeat(8 * 1_024 * 1_024) };
  for (let at = 0; at < 8; at++) frames.of([piece]);
  assert.throws(
    () => frames.of([piece]),
    (error: GatewayError) => error.status === 502,
  );
  assert.match(
    frames.of([{ type: 'error', error: new GatewayError({ status: 502, type: 'server', message: 'x' }) }]),
    /failed/,
  );
});

test.run();
