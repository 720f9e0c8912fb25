import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StreamAttempt } from '../../../../gateway/providers/call/stream-attempt.ts';
import { MessagesReader } from '../../../../gateway/providers/messages/reply-reader.ts';
import { WholeAttempt } from '../../../../gateway/providers/whole-attempt.ts';
import { bounded } from '../../../support/bounded.ts';
import { eventsOf, failureOfReading, joined, played, UNSHARED } from '../played.ts';

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

const CITED = {
  type: 'web_search_result_location',
  url: 'https://w.test/a',
  title: 'A',
  cited_text: 'It is five.',
  encrypted_index: 'RWs=',
};
const PAGE = {
  type: 'page_location',
  document_index: 0,
  document_title: 'a.pdf',
  cited_text: 'x',
  start_page_number: 1,
};

// As the provider writes them for an answer that searches: calls and results of its own tools between the texts.
const SEARCH = {
  use: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  found: {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      { type: 'web_search_result', url: 'https://w.test/a', title: 'A', encrypted_content: 'RW4=', page_age: null },
    ],
  },
  ran: {
    type: 'code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'code_execution_result', stdout: '5' },
  },
};

it('tools that the provider runs itself are passed over; texts, sources and calls around them keep their places', async () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const streamed = await eventsOf(
    streamOf(
      start(),
      opened(0, { type: 'text', text: '' }) + delta(0, { type: 'text_delta', text: 'Searching. ' }) + closed(0),
      opened(1, SEARCH.use) + delta(1, { type: 'input_json_delta', partial_json: '{"query":"q"}' }) + closed(1),
      opened(2, SEARCH.found) + closed(2),
      opened(3, { type: 'text', text: '', citations: [] }),
      delta(3, { type: 'citations_delta', citation: CITED }) + delta(3, { type: 'citations_delta', citation: PAGE }),
      delta(3, { type: 'text_delta', text: 'Fi' }) + delta(3, { type: 'text_delta', text: 've.' }) + closed(3),
      opened(4, SEARCH.ran) + closed(4),
      opened(5, call) + delta(5, { type: 'input_json_delta', partial_json: '{"a":1}' }) + closed(5),
      end('tool_use'),
      STOP,
    ),
  );
  const content = [
    { type: 'text', text: 'Searching. ', citations: null },
    { ...SEARCH.use, input: { query: 'q' } },
    SEARCH.found,
    { type: 'text', text: 'Five.', citations: [CITED, PAGE] },
    SEARCH.ran,
    { ...call, input: { a: 1 } },
  ];
  const citation = { url: 'https://w.test/a', title: 'A', excerpt: 'It is five.', passage: { start: 11, end: 16 } };
  const expected = [
    { type: 'text-delta', text: 'Searching. Five.' },
    { type: 'citation', citation },
    { type: 'tool-start', index: 0, id: 'toolu_1', name: 'f' },
    { type: 'tool-delta', index: 0, arguments: '{"a":1}' },
    { type: 'finish', reason: 'tool_calls', native: 'tool_use' },
  ];
  assert.equal(joined(streamed), expected);
  assert.equal(joined(await eventsOf(wholeOf({ content, stop_reason: 'tool_use' }))), expected);
});

it('sources without a web address are dropped, and the same source of another passage is kept', async () => {
  const text = (citations: unknown) => ({ type: 'text', text: 'ab', citations });
  const result = { type: 'search_result_location', source: 'https://w.test/s', title: null, cited_text: 's' };
  const content = [
    text([CITED, CITED, null, { ...CITED, url: 'javascript:alert(1)' }, { ...result, source: 'internal/1' }]),
    text([result, CITED]),
    text('none'),
  ];
  const events = await eventsOf(wholeOf({ content, stop_reason: 'end_turn' }));
  const passages = events.flatMap((event) =>
    event.type === 'citation' ? [[event.citation.url, event.citation.passage?.start]] : [],
  );
  assert.equal(passages, [
    ['https://w.test/a', 0],
    ['https://w.test/s', 2],
    ['https://w.test/a', 2],
  ]);
});

it('a second message in one stream breaks the answer off: its blocks would be spliced into the first', async () => {
  const another = frame('message_start', { message: { id: 'msg_2', usage: { input_tokens: 9 } } });
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const cut = [
    start({ input_tokens: 5 }),
    opened(0, call),
    delta(0, { type: 'input_json_delta', partial_json: '{"v":"Spark' }),
  ];
  const rest = [
    opened(0, call),
    delta(0, { type: 'input_json_delta', partial_json: '{}' }),
    closed(0),
    end('tool_use'),
    STOP,
  ];
  const broken = streamOf(...cut, another, ...rest);
  assert.is((await failureOfReading(broken)).reason, 'garbage');
  assert.is(broken.upstreamId, 'msg_1');
  assert.is(broken.usage.promptTokens, 5);
  // The same message again, or one without an id, is no second one.
  for (const again of [start(), frame('message_start', { message: {} })]) {
    assert.is((await eventsOf(streamOf(start(), again, end('end_turn'), STOP))).at(-1)?.type, 'finish');
  }
  const done = await eventsOf(streamOf(start(), end('end_turn', { output_tokens: 3 }), another, STOP));
  assert.equal(
    done.map(({ type }) => type),
    ['finish', 'usage'],
  );
});

it('the status of MiniMax in a 200 is its error, whole and streamed; its zero is none', async () => {
  const failed = { base_resp: { status_code: 1_002, status_msg: 'rate limit exceeded(RPM)' } };
  const fine = { base_resp: { status_code: 0, status_msg: '' } };
  const content = [{ type: 'text', text: 'Hi' }];
  assert.is((await failureOfReading(wholeOf(failed))).reason, 'overloaded');
  assert.is(
    (await failureOfReading(wholeOf({ ...failed, content: null, usage: { input_tokens: 5 } }))).reason,
    'overloaded',
  );
  assert.is((await eventsOf(wholeOf({ ...fine, content }))).at(-1)?.type, 'finish');
  const long = { base_resp: { status_code: 2_013, status_msg: 'invalid params, context window exceeds limit' } };
  const broken = streamOf(start({ input_tokens: 5 }), `data: ${JSON.stringify(long)}\n\n`);
  const failure = await failureOfReading(broken);
  assert.is(failure.refusal?.code, 'context_length_exceeded');
  assert.is(broken.usage.promptTokens, 5);
  const ended = [start(), frame('message_delta', { ...fine, delta: { stop_reason: 'end_turn' } }), STOP];
  assert.is((await eventsOf(streamOf(...ended))).at(-1)?.type, 'finish');
});

it('the details of a refusal are those of its end; other details are none', async () => {
  const details = { type: 'refusal', category: 'bio', explanation: 'x'.repeat(5_000) };
  const refused = (stop_details: unknown) => ({ stop_reason: 'refusal', stop_sequence: null, stop_details });
  const endOf = async (given: unknown): Promise<unknown> => {
    const streamed = await eventsOf(streamOf(start(), frame('message_delta', { delta: refused(given) }), STOP));
    const content = [{ type: 'text', text: 'No.' }];
    const whole = await eventsOf(wholeOf({ content, ...refused(given) }));
    assert.equal(streamed.at(-1), whole.at(-1));
    return streamed.at(-1);
  };
  const finish = { type: 'finish', reason: 'content_filter', native: 'refusal' };
  assert.equal(await endOf(details), { ...finish, refused: { category: 'bio', explanation: null } });
  assert.equal(await endOf({ type: 'refusal' }), { ...finish, refused: { category: null, explanation: null } });
  for (const none of [null, 'refusal', { type: 'other', category: 'bio' }]) assert.equal(await endOf(none), finish);
});

it('a whole answer without a reason is finished; one without any content is an invalid answer (rule I60)', async () => {
  const content = [{ type: 'text', text: 'Hi' }];
  assert.equal((await eventsOf(wholeOf({ content }))).at(-1), { type: 'finish', reason: 'stop', native: 'end_turn' });
  assert.is((await failureOfReading(wholeOf({ content: [] }))).reason, 'garbage');
});

test.run();
