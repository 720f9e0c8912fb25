import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { answered, isIntact, isNumbered } from './answered.ts';
import { exchange } from './exchange.ts';
import { judgeOf, wholeAnswer } from './reply-judge.ts';
import { probe, type Scenario } from './scenario.ts';

const it = bounded(test);
let server: Server;
let answer: (response: ServerResponse) => void = () => {};
test.before(async () => {
  server = createServer((_, response) => {
    response.setHeader('x-generation-id', 'gen-1');
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

const STREAMED: Scenario = { ...probe('n'), stream: true };
const WORDS = ['sim-a:1 ', 'x1 '];

function ask(scenario: Scenario) {
  return exchange(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key', scenario);
}

const OPEN = ': processing\n';
const HEAD = { id: 'gen-1', object: 'chat.completion.chunk', created: 1, model: 'm', provider: 'p' };
const END = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const USAGE = chunk({ choices: [], usage: { cost: 1e-7 }, honoured: {} });
const DONE = 'data: [DONE]\n\n';

function chunk(members: object): string {
  return `data: ${JSON.stringify({ ...HEAD, ...members })}\n\n`;
}

function frame(content: string, at = 1): string {
  const role = at === 0 ? { role: 'assistant' } : {};
  return chunk({ choices: [{ index: 0, delta: { ...role, content }, finish_reason: null }] });
}

it('an unstreamed answer is ok, with the cost exactly as received', async () => {
  answer = (response) =>
    response.end(
      `{"choices":[{"message":{"content":"${WORDS.join('')}"}}],"usage":{"cost":0.000000000000000000000001}}`,
    );
  const finding = await ask(probe('n'));
  assert.equal(finding, {
    type: 'ok',
    generation: 'gen-1',
    cost: '0.000000000000000000000001',
    provider: '',
    textIntact: true,
    endings: 1,
  });
});

const ANSWERS = 'tests/fixtures/messages-replies/chat-tools';

it('the other dialects are read as their clients read them', async () => {
  const call = { calls: [{ id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' }] };
  const judge = judgeOf('messages');
  judge.feed(readFileSync(`${ANSWERS}.sse`, 'utf8'));
  const { faults, endings, answer: streamed } = judge.end();
  assert.equal(faults, []);
  assert.is(endings, 1);
  assert.is(streamed.text, 'Looking.');
  assert.equal(streamed.calls[0], call.calls[0]);
  assert.equal(wholeAnswer('messages', JSON.parse(readFileSync(`${ANSWERS}.whole`, 'utf8'))), streamed);
  const output = [
    { type: 'message', content: [{ type: 'output_text', text: 'Looking.' }] },
    { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' },
  ];
  assert.equal(wholeAnswer('responses', { output }), { text: 'Looking.', ...call, images: [] });
});

it('a refusal is a failure with its status and type, and no content', async () => {
  answer = (response) => response.writeHead(402).end('{"error":{"metadata":{"error_type":"payment_required"}}}');
  const finding = await ask(probe('n'));
  assert.equal(finding, {
    type: 'fail',
    status: 402,
    errorType: 'payment_required',
    generation: 'gen-1',
    delivered: false,
    endings: 0,
  });
});

it('a whole stream is ok, one with a missing chunk is not intact', async () => {
  answer = (response) => response.end([OPEN, ...WORDS.map(frame), END, USAGE, DONE].join(''));
  assert.equal(await ask(STREAMED), {
    type: 'ok',
    generation: 'gen-1',
    cost: '1e-7',
    provider: '',
    textIntact: true,
    endings: 1,
  });
  answer = (response) => response.end([OPEN, frame(WORDS[0] as string, 0), END, USAGE, DONE].join(''));
  assert.is(((await ask(STREAMED)) as { textIntact: boolean }).textIntact, false);
});

it('a violation of the stream grammar is reported for every kind of ending', async () => {
  const breaches = async (...pieces: readonly string[]): Promise<readonly string[] | undefined> => {
    answer = (response) => response.end(pieces.join(''));
    return (await ask(STREAMED)).breaches;
  };
  const words = WORDS.map(frame);
  assert.is(await breaches(OPEN, ...words, END, USAGE, DONE), undefined);
  assert.is(await breaches(OPEN, ...words, END, DONE), undefined, 'a charge that could not be recorded yet');
  assert.equal(await breaches(OPEN, ...words, END, USAGE, DONE, DONE), [
    'behind [DONE]: "data: [DONE]"',
    'behind [DONE]: ""',
    '2 times [DONE]',
  ]);
  assert.is((await breaches(OPEN, ...words, words[1] as string))?.length, 1, 'a word twice');
});

it('an error inside a stream is a failure with content', async () => {
  const error = { code: 502, message: 'm', metadata: { error_type: 'provider_unavailable' } };
  const broken = chunk({ error, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] });
  answer = (response) => response.end([OPEN, frame('sim-a:1 ', 0), broken, DONE].join(''));
  assert.equal(await ask(STREAMED), {
    type: 'fail',
    status: 200,
    errorType: 'provider_unavailable',
    generation: 'gen-1',
    delivered: true,
    endings: 1,
  });
});

it('a stream without an end, a reset and a client that leaves are unknown', async () => {
  answer = (response) => response.end(OPEN + frame('sim-a:1 ', 0));
  assert.is((await ask(STREAMED)).type, 'unknown');
  answer = (response) => response.destroy();
  assert.is((await ask(STREAMED)).type, 'unknown');
  answer = (response) => void response.write(OPEN + frame('a', 0) + frame('b'));
  assert.equal(await ask({ ...STREAMED, leaveAfter: 2 }), {
    type: 'unknown',
    generation: 'gen-1',
    reason: 'the client left',
    left: true,
  });
});

it('an answer is intact only with all expected parts, each once', () => {
  const call = (index: number, more: object) => ({ choices: [{ delta: { tool_calls: [{ index, ...more }] } }] });
  const opening = call(0, { id: 'c', function: { name: 'weather', arguments: '{"a"' } });
  const rest = call(0, { function: { arguments: ':1}' } });
  const tool = { call: 'weather' };
  assert.ok(isIntact(answered([opening, rest]), tool));
  for (const bodies of [[], [opening], [opening, rest, rest], [opening, rest, call(1, { id: 'd' })]])
    assert.not.ok(isIntact(answered(bodies), tool), JSON.stringify(bodies));
  const picture = { choices: [{ message: { content: '', images: [{ image_url: { url: 'data:' } }] } }] };
  assert.ok(isIntact(answered([picture]), { images: 1 }));
  assert.not.ok(isIntact(answered([picture, picture]), { images: 1 }));
  assert.ok(isIntact(answered([{ choices: [{ text: 'sim-a:1 x1' }] }]), { chunks: 2 }));
});

it('numbered text is complete only as one uninterrupted sequence', () => {
  assert.ok(isNumbered('sim-a:7 x1 x2 ', 3));
  for (const broken of ['sim-a:7 x1 ', 'sim-a:7 x1 x1 x2', 'sim-a:7 x2 x1', 'sim-a:7 x1 x2 sim-b:1 x1 x2', '']) {
    assert.not.ok(isNumbered(broken, 3), broken);
  }
});

test.run();
