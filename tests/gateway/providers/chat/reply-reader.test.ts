import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutboundError } from '../../../../gateway/outbound/outbound-error.ts';
import { StreamAttempt } from '../../../../gateway/providers/call/stream-attempt.ts';
import { ChatReader } from '../../../../gateway/providers/chat/reply-reader.ts';
import { WholeAttempt } from '../../../../gateway/providers/whole-attempt.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { eventsOf, failureOfReading, joined, played, UNSHARED } from '../played.ts';

const it = bounded(test);

function streamOf(chunks: readonly Uint8Array[], end: OutboundError | null = null, lineMax = 1_000): StreamAttempt {
  return new StreamAttempt(played(chunks, end), new ChatReader((index) => `made_${index}`), {
    ...UNSHARED,
    lineCharactersMax: lineMax,
  });
}

function data(...chunks: readonly object[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
}

function delta(content: object, finish: string | null = null): object {
  return { id: 'up-1', choices: [{ index: 0, delta: content, finish_reason: finish }] };
}

const USAGE = {
  choices: [],
  usage: { prompt_tokens: 5, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 1 } },
};
const TRANSCRIPT = `: hello\r\n\r\n${data(delta({ role: 'assistant', content: '' }), delta({ content: 'é日🚀' }), delta({ content: 'x' }))}event: message\r\ndata: ${JSON.stringify(
  delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"ü":' } }] }),
)}\r\n\r\n${data(delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }), delta({}, 'tool_calls'), USAGE)}data: [DONE]\n\n`;
const EXPECTED: TurnEvent[] = [
  { type: 'text-delta', text: 'é日🚀x' },
  { type: 'tool-start', index: 0, id: 'c', name: 'f' },
  { type: 'tool-delta', index: 0, arguments: '{"ü":' },
  { type: 'tool-delta', index: 0, arguments: '1}' },
  { type: 'finish', reason: 'tool_calls', native: 'tool_calls' },
  { type: 'usage', usage: { promptTokens: 5, completionTokens: 6, cachedTokens: 1 } },
];

it('a transcript reads the same split at any byte, inside characters and line ends too (rule I61)', async () => {
  const bytes = Buffer.from(TRANSCRIPT);
  for (let at = 0; at <= bytes.length; at++) {
    const attempt = streamOf([bytes.subarray(0, at), bytes.subarray(at)]);
    assert.equal(joined(await eventsOf(attempt)), EXPECTED, `split at ${at}`);
    assert.is(attempt.upstreamId, 'up-1');
  }
});

it('a transcript reads the same byte by byte', async () => {
  const bytes = [...Buffer.from(TRANSCRIPT)].map((byte) => Buffer.from([byte]));
  assert.equal(joined(await eventsOf(streamOf(bytes))), EXPECTED);
});

it('an end before the finish reason is a failure at any position, after the terminator too (rule I60)', async () => {
  const bytes = Buffer.from(TRANSCRIPT);
  const finished = bytes.indexOf('"tool_calls"}]}\n\n') + '"tool_calls"}]}\n\n'.length;
  for (let at = 0; at < finished; at++) {
    const { reason } = await failureOfReading(streamOf([bytes.subarray(0, at)]));
    assert.is(reason, 'garbage', `ended at ${at}`);
  }
  assert.is((await failureOfReading(streamOf([Buffer.from('data: [DONE]\n\n')]))).reason, 'garbage');
  assert.ok(
    await eventsOf(streamOf([bytes.subarray(0, finished)])),
    'an end behind the finish is clean, without usage',
  );
});

it('parts that arrived before a failure are delivered before the failure', async () => {
  const attempt = streamOf([Buffer.from(`${data(delta({ content: 'a' }))}data: {broken\n\n`)]);
  assert.equal(await attempt.read(), [{ type: 'text-delta', text: 'a' }]);
  assert.is((await failureOfReading(attempt)).reason, 'garbage');
});

it('distinguishes a cut from a time-out', async () => {
  const begun = [Buffer.from(data(delta({ content: 'a' })))];
  assert.is((await failureOfReading(streamOf(begun, new OutboundError('reset', '')))).reason, 'unavailable');
  assert.is((await failureOfReading(streamOf(begun, new OutboundError('idle-timeout', '')))).reason, 'timeout');
});

it('a line beyond its bound ends the attempt and the connection', async () => {
  const reply = played([
    Buffer.from(`data: {"choices":"${'x'.repeat(600)}`),
    Buffer.from('y'.repeat(600)),
    Buffer.from('z'),
  ]);
  const attempt = new StreamAttempt(reply, new ChatReader(() => ''), { ...UNSHARED, lineCharactersMax: 1_000 });
  assert.is((await failureOfReading(attempt)).reason, 'garbage');
  assert.ok(reply.aborted);
});

it('data counts as progress, comments do not', async () => {
  const reply = played([Buffer.from(': a\n\n: b\n\n'), Buffer.from(data(delta({ content: 'a' }, 'stop')))]);
  await eventsOf(new StreamAttempt(reply, new ChatReader(() => ''), { ...UNSHARED, lineCharactersMax: 1_000 }));
  assert.is(reply.progress, 1);
});

it('a piece waits for its share of the event loop, and nothing is read meanwhile', async () => {
  const reply = played([Buffer.from(data(delta({ content: 'a' }))), Buffer.from(data(delta({ content: 'b' })))]);
  const asked: number[] = [];
  let begin = (): void => {};
  const streamShare = (bytes: number): Promise<void> => {
    asked.push(bytes);
    return new Promise((resolve) => {
      begin = resolve;
    });
  };
  const attempt = new StreamAttempt(reply, new ChatReader(() => ''), { streamShare, lineCharactersMax: 1_000 });
  const reading = attempt.read();
  await new Promise(setImmediate);
  assert.is(asked.length, 1);
  assert.is(reply.progress, 0);
  begin();
  assert.equal(await reading, [{ type: 'text-delta', text: 'a' }]);
  assert.equal(asked, [data(delta({ content: 'a' })).length]);
});

const BROKEN: readonly (readonly [string, string])[] = [
  ['invalid JSON', 'data: {]\n\n'],
  ['NUL', 'data: \0\0\n\n'],
  ['a number', 'data: 5\n\n'],
  ['choices that are not a list', 'data: {"choices":{}}\n\n'],
  ['a choice that is text', 'data: {"choices":["x"]}\n\n'],
  ['a delta that is text', 'data: {"choices":[{"delta":"x"}]}\n\n'],
  ['tool calls that are not a list', data(delta({ tool_calls: 'f' }))],
  ['a tool call that is null', data(delta({ tool_calls: [null] }))],
  ['an error event', 'event: error\ndata: {}\n\n'],
  ['an error member', 'data: {"error":{"message":"x"}}\n\n'],
  ['a finish with an error', data(delta({}, 'error'))],
];
for (const [what, text] of BROKEN) {
  it(`refuses as an answer: ${what} (rule I136)`, async () => {
    await failureOfReading(streamOf([Buffer.from(text)]));
  });
}

it('normalises tool calls of every known form', async () => {
  const habits: readonly object[][] = [
    [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
    [
      { index: 0, id: 'a' },
      { index: 0, function: { arguments: '{' } },
      { index: 0, function: { name: 'f' } },
      { index: 0, function: { arguments: '}' } },
    ],
    [
      { index: 0, id: 'a', function: { name: 'f', arguments: '{' } },
      { index: 0, id: 'a', function: { name: 'f', arguments: '}' } },
    ],
    [{ index: 0, id: 'a', function: { name: 'f', arguments: {} } }],
  ];
  for (const fragments of habits) {
    const chunks = fragments.map((fragment) => delta({ tool_calls: [fragment] }));
    const events = await eventsOf(streamOf([Buffer.from(data(...chunks, delta({}, 'stop')))]));
    assert.equal(events[0], { type: 'tool-start', index: 0, id: 'a', name: 'f' });
    const given = events.map((event) => (event.type === 'tool-delta' ? event.arguments : '')).join('');
    assert.is(given, '{}');
    assert.equal(events.at(-1), { type: 'finish', reason: 'tool_calls', native: 'stop' });
  }
  const shared = data(
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] }),
    delta({ tool_calls: [{ index: 0, id: 'b', function: { name: 'g' } }] }),
    delta({}, 'stop'),
  );
  assert.equal((await eventsOf(streamOf([Buffer.from(shared)]))).slice(0, 2), [
    { type: 'tool-start', index: 0, id: 'a', name: 'f' },
    { type: 'tool-start', index: 1, id: 'b', name: 'g' },
  ]);
  const nameless = data(delta({ tool_calls: [{ function: { name: 'f' } }] }), delta({}, 'stop'));
  assert.equal((await eventsOf(streamOf([Buffer.from(nameless)])))[0], {
    type: 'tool-start',
    index: 0,
    id: 'made_0',
    name: 'f',
  });
});

it('only arguments whose call has no name yet are bounded', async () => {
  const half = 'a'.repeat(40 * 1024);
  const piece = (index: number, called: object): object => delta({ tool_calls: [{ index, function: called }] });
  const read = (...chunks: readonly object[]): StreamAttempt =>
    streamOf([Buffer.from(data(...chunks, delta({}, 'stop')))], null, 200_000);
  const named = [0, 1].flatMap((index) => [
    piece(index, { arguments: half }),
    piece(index, { name: 'f', arguments: half }),
    piece(index, { arguments: half }),
  ]);
  const events = await eventsOf(read(...named));
  for (const index of [0, 1]) {
    const given = events.map((event) => (event.type === 'tool-delta' && event.index === index ? event.arguments : ''));
    assert.is(given.join(''), half.repeat(3));
  }
  const { reason } = await failureOfReading(read(piece(0, { arguments: half }), piece(0, { arguments: half })));
  assert.is(reason, 'garbage');
});

it('invalid counts are unreported, and later running totals replace earlier ones', async () => {
  const usage = (counts: object) => ({ choices: [], usage: counts });
  const ended = (...more: object[]) => eventsOf(streamOf([Buffer.from(data(delta({}, 'stop'), ...more))]));
  for (const bad of [-1, 1.5, '5', 1e18, null, true]) {
    const events = await ended(usage({ prompt_tokens: bad, completion_tokens: 3 }));
    assert.equal(events.at(-1), { type: 'usage', usage: { completionTokens: 3 } });
  }
  assert.is((await ended(usage({ prompt_tokens: -1 }))).length, 1);
  assert.equal((await ended(usage({ completion_tokens: 1 }), usage({ completion_tokens: 9 }))).at(-1), {
    type: 'usage',
    usage: { completionTokens: 9 },
  });
});

function whole(body: object): WholeAttempt {
  return new WholeAttempt(played([Buffer.from(JSON.stringify(body))]), new ChatReader(() => 'made'), UNSHARED);
}

it('a whole reply becomes the same events, and one without an answer is refused', async () => {
  const message = { role: 'assistant', content: 'hi', reasoning_content: 'hm' };
  const reply = { id: 'up', choices: [{ message, finish_reason: 'end_turn' }], usage: { prompt_tokens: 1 } };
  assert.equal(await eventsOf(whole(reply)), [
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'hi' },
    { type: 'finish', reason: 'stop', native: 'end_turn' },
    { type: 'usage', usage: { promptTokens: 1 } },
  ]);
  assert.is((await failureOfReading(whole({ choices: [{ message: { content: '' } }] }))).reason, 'garbage');
  assert.is((await failureOfReading(whole({}))).reason, 'garbage');
  assert.is((await failureOfReading(whole({ error: { code: 429, message: 'secret' } }))).reason, 'overloaded');
});

it('keeps only the members of scores that the dialect names, so deep nesting is never serialised (rule I136)', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const score = `{"token":"a","logprob":-1,"bytes":[97],"x":${deep},"top_logprobs":[{"token":"b","logprob":-2,"bytes":null,"y":${deep}},null]}`;
  const list = `[${score},7,{"token":${deep},"logprob":"no","bytes":[${deep}]}]`;
  const choice = `{"message":{"content":"a"},"logprobs":{"content":${list},"refusal":[${deep},{"token":"no"}]},"finish_reason":"stop"}`;
  const attempt = new WholeAttempt(
    played([Buffer.from(`{"choices":[${choice}]}`)]),
    new ChatReader(() => ''),
    UNSHARED,
  );
  const scores = (await eventsOf(attempt)).find(({ type }) => type === 'logprobs');
  const top = { token: 'b', logprob: -2, bytes: null };
  assert.equal(scores, {
    type: 'logprobs',
    content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [top] }, {}],
    refusal: [{ token: 'no' }],
  });
});

it('the sequence that ended an answer is named where the server names it; a number is a token', async () => {
  for (const [named, expected] of [
    [{ stop_reason: 'END' }, { stopSequence: 'END' }],
    [{ matched_stop: 'END' }, { stopSequence: 'END' }],
    [{ stop_reason: null, matched_stop: 7 }, {}],
    [{ stop_reason: 'x'.repeat(5_000) }, {}],
  ] as const) {
    const choice = { index: 0, delta: { content: 'a' }, finish_reason: 'stop', ...named };
    const events = await eventsOf(streamOf([Buffer.from(data({ choices: [choice] }))]));
    assert.equal(events.at(-1), { type: 'finish', reason: 'stop', native: 'stop', ...expected });
  }
});

it('a whole reply and a stream with its terminator are finished without a finish reason (rule I60)', async () => {
  const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
  for (const absent of [undefined, null, '']) {
    for (const [answer, reason] of [
      [{ content: 'hi' }, 'stop'],
      [{ tool_calls: [call] }, 'tool_calls'],
    ] as const) {
      const finish = { type: 'finish', reason, native: null };
      const complete = whole({ choices: [{ message: answer, finish_reason: absent }] });
      assert.equal((await eventsOf(complete)).at(-1), finish);
      const text = data({ choices: [{ delta: answer, finish_reason: absent }] });
      const streamed = await eventsOf(streamOf([Buffer.from(`${text}data: [DONE]\n\n`)]));
      assert.equal(streamed.at(-1), finish);
      assert.is((await failureOfReading(streamOf([Buffer.from(text)]))).reason, 'garbage', 'only the stream ended');
    }
  }
});

it('reasoning in parts of the content is reasoning, whole and streamed', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'The user ' }, { type: 'text', text: 'asks.' }, null] },
    { type: 'text', text: '4' },
    { type: 'reference', reference_ids: [1] },
    null,
  ];
  const expected: TurnEvent[] = [
    { type: 'reasoning-delta', text: 'The user asks.' },
    { type: 'text-delta', text: '4' },
    { type: 'finish', reason: 'stop', native: 'stop' },
  ];
  assert.equal(await eventsOf(whole({ choices: [{ message: { content }, finish_reason: 'stop' }] })), expected);
  const chunks = data(...content.map((part) => delta({ content: [part] })), delta({ content: '' }, 'stop'));
  assert.equal(await eventsOf(streamOf([Buffer.from(chunks)])), expected);
});

it('a call without arguments ends with an empty object, once, whole and streamed', async () => {
  const call = (index: number, given: object) => ({ index, id: `c${index}`, function: { name: 'f', ...given } });
  const calls = [
    call(0, {}),
    call(1, { arguments: '' }),
    call(2, { arguments: '{"a":1}' }),
    call(3, { arguments: {} }),
  ];
  const finish = { type: 'finish', reason: 'tool_calls', native: 'stop' };
  const argumentsOf = (events: readonly TurnEvent[]): string[] => {
    const all = calls.map(() => '');
    for (const event of events) if (event.type === 'tool-delta') all[event.index] += event.arguments;
    assert.equal(events.at(-1), finish);
    return all;
  };
  const wanted = ['{}', '{}', '{"a":1}', '{}'];
  const message = { tool_calls: calls };
  assert.equal(argumentsOf(await eventsOf(whole({ choices: [{ message, finish_reason: 'stop' }] }))), wanted);
  const streamed = data(...calls.map((each) => delta({ tool_calls: [each] })), delta({}, 'stop'));
  assert.equal(argumentsOf(await eventsOf(streamOf([Buffer.from(streamed)]))), wanted);
});

it('reads usage that only a vendor member carries, and usage beside an error after the finish', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2 };
  const expected = { type: 'usage', usage: { promptTokens: 7, completionTokens: 2 } };
  const finished = delta({ content: 'a' }, 'stop');
  const vendor = data({ ...finished, x_groq: { id: 'req', usage } });
  assert.equal((await eventsOf(streamOf([Buffer.from(vendor)]))).at(-1), expected);
  const broken = data(finished, { choices: [], usage, error: { code: 500, message: 'secret' } });
  assert.equal((await eventsOf(streamOf([Buffer.from(broken)]))).at(-1), expected);
});

it('a stream that its vendor member says was stopped early broke off, and its usage is read', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2 };
  const stopped = data(delta({ content: 'a' }), {
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    x_groq: { id: 'req', error: 'the secret of the provider', usage },
  });
  const attempt = streamOf([Buffer.from(stopped)]);
  const failure = await failureOfReading(attempt);
  assert.is(failure.reason, 'unavailable');
  assert.not.match(failure.message, /secret/);
  assert.equal(attempt.usage, { promptTokens: 7, completionTokens: 2 });
  const fine = data({ ...delta({ content: 'a' }, 'stop'), x_groq: { id: 'req', error: null } });
  assert.is((await eventsOf(streamOf([Buffer.from(fine)]))).at(-1)?.type, 'finish');
});

test.run();
