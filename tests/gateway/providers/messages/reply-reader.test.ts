import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StreamAttempt } from '../../../../gateway/providers/call/stream-attempt.ts';
import { MessagesReader } from '../../../../gateway/providers/messages/reply-reader.ts';
import { WholeAttempt } from '../../../../gateway/providers/whole-attempt.ts';
import { bounded } from '../../../support/bounded.ts';
import { eventsOf, failureOfReading, played, UNSHARED } from '../played.ts';

const it = bounded(test);

function frame(type: string, members: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

function streamOf(...frames: readonly string[]): StreamAttempt {
  const reader = new MessagesReader((index) => `made_${index}`);
  return new StreamAttempt(played([Buffer.from(frames.join(''))]), reader, {
    ...UNSHARED,
    lineCharactersMax: 64 * 1024,
  });
}

function wholeOf(message: object): WholeAttempt {
  return new WholeAttempt(
    played([Buffer.from(JSON.stringify(message))]),
    new MessagesReader((index) => `made_${index}`),
    UNSHARED,
  );
}

const start = (usage?: object) => frame('message_start', { message: { id: 'msg_1', usage } });
const opened = (index: number, content_block: object) => frame('content_block_start', { index, content_block });
const delta = (index: number, piece: object) => frame('content_block_delta', { index, delta: piece });
const closed = (index: number) => frame('content_block_stop', { index });
const end = (stop_reason: string | null, usage?: object) => frame('message_delta', { delta: { stop_reason }, usage });
const STOP = frame('message_stop');

it('maps every stop reason and keeps the raw value beside it (rule I81)', async () => {
  const rows: readonly (readonly [string, string])[] = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['a_future_reason', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['constructor', 'stop'],
  ];
  for (const [native, reason] of rows) {
    const finish = { type: 'finish', reason, native };
    assert.equal(await eventsOf(streamOf(start(), end(native), STOP)), [finish]);
    assert.equal(await eventsOf(wholeOf({ content: [], stop_reason: native })), [finish]);
  }
});

it('reads a stream by the names of its events, and by their type if they have no name', async () => {
  const renamed =
    'event: content_block_delta\ndata: {"type":"ping","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n';
  const nameless = delta(0, { type: 'text_delta', text: 'b' }).replace(/^event:.*\n/, '');
  const events = await eventsOf(
    streamOf(start(), opened(0, { type: 'text' }), renamed, nameless, end('end_turn'), STOP),
  );
  assert.equal(events.slice(0, 2), [
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b' },
  ]);
});

it('arguments in the opening, in fragments or absent make one call', async () => {
  const call = (input: unknown) => ({ type: 'tool_use', id: '', name: 'f', input });
  const events = await eventsOf(
    streamOf(
      start(),
      opened(0, call({ a: 1 })) + closed(0),
      opened(1, call({})) + delta(1, { type: 'input_json_delta', partial_json: '{}' }) + closed(1),
      opened(2, call(null)) + closed(2),
      end('end_turn'),
      STOP,
    ),
  );
  assert.equal(
    events.filter(({ type }) => type === 'tool-delta'),
    [
      { type: 'tool-delta', index: 0, arguments: '{"a":1}' },
      { type: 'tool-delta', index: 1, arguments: '{}' },
      { type: 'tool-delta', index: 2, arguments: '{}' },
    ],
  );
  assert.equal(events[0], { type: 'tool-start', index: 0, id: 'made_0', name: 'f' });
  assert.equal(events.at(-1), { type: 'finish', reason: 'tool_calls', native: 'end_turn' });
});

it('later totals replace earlier ones, omitted ones are kept, and the first count of the answer is ignored', async () => {
  const opening = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
  const text = opened(0, { type: 'text', text: 'a' });
  const usage = async (...frames: readonly string[]) => {
    const attempt = streamOf(start(opening), text, ...frames);
    await eventsOf(attempt).catch(() => {});
    return attempt.usage;
  };
  assert.equal(await usage(), { promptTokens: 15, cachedTokens: 5 });
  assert.equal(await usage(end(null, { output_tokens: 3 }), end('end_turn', { output_tokens: 7 }), STOP), {
    promptTokens: 15,
    cachedTokens: 5,
    completionTokens: 7,
  });
  const corrected = { input_tokens: 12, cache_read_input_tokens: 0, output_tokens: 7, cache_creation: null };
  assert.equal(await usage(end('end_turn', corrected), STOP), {
    promptTokens: 12,
    cachedTokens: 0,
    completionTokens: 7,
  });
});

const BROKEN: readonly (readonly [string, string])[] = [
  ['a start without a message', frame('message_start')],
  ['a block that is not an object', start() + opened(0, null as unknown as object)],
  ['a block without an index', start() + frame('content_block_start', { content_block: { type: 'text' } })],
  ['a delta of no block', start() + delta(0, { type: 'text_delta', text: 'a' })],
  ['a delta of a closed block', start() + opened(0, { type: 'text' }) + closed(0) + delta(0, { type: 'text_delta' })],
  ['a delta that is text', start() + opened(0, { type: 'text' }) + delta(0, 'a' as unknown as object)],
  ['a call without a name', start() + opened(0, { type: 'tool_use', id: 'c' })],
  ['a picture without a source', start() + opened(0, { type: 'image' })],
  ['too many blocks', start() + opened(0, { type: 'text' }).repeat(4_097)],
  ['an error', start() + frame('error', { error: { type: 'api_error' } })],
  ['an end before the stop reason', start() + STOP],
  ['an end without a reason', start() + frame('message_delta') + STOP],
  ['a list instead of a frame', 'event: content_block_delta\ndata: [1]\n\n'],
];
for (const [what, text] of BROKEN) {
  it(`refuses as an answer: ${what} (rule I136)`, async () => {
    await failureOfReading(streamOf(text));
  });
}

for (const message of [{}, { content: 'text' }, { content: [5] }, { content: [] }, { type: 'error', error: {} }]) {
  it(`refuses as a whole answer: ${JSON.stringify(message)}`, async () => {
    await failureOfReading(wholeOf(message));
  });
}

it('the sequence that ended an answer is named, streamed and whole', async () => {
  const delta = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
  const finish = { type: 'finish', reason: 'stop', native: 'stop_sequence', stopSequence: 'END' };
  assert.equal(await eventsOf(wholeOf({ content: [], ...delta })), [finish]);
  const stream =
    frame('message_start', { message: {} }) + frame('message_delta', { delta }) + frame('message_stop', {});
  assert.equal(await eventsOf(streamOf(stream)), [finish]);
});

test.run();
