import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { exchange, isNumbered } from './exchange.ts';
import { probe, type Scenario } from './scenario.ts';

const it = bounded(test, 5_000);
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
  return exchange(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, 'key', scenario);
}

function frame(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
}

it('an answer in one piece is ok, with the cost in the digits it came in', async () => {
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

it('a refusal is a failure with its status and type, and nothing delivered', async () => {
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
  answer = (response) =>
    response.end(
      `: busy\n\n${WORDS.map(frame).join('')}data: {"choices":[],"usage":{"cost":1e-7}}\n\ndata: [DONE]\n\n`,
    );
  assert.equal(await ask(STREAMED), {
    type: 'ok',
    generation: 'gen-1',
    cost: '1e-7',
    provider: '',
    textIntact: true,
    endings: 1,
  });
  answer = (response) => response.end(`${frame(WORDS[0] as string)}data: [DONE]\n\n`);
  assert.is(((await ask(STREAMED)) as { textIntact: boolean }).textIntact, false);
});

it('an error inside a stream is a failure that delivered something', async () => {
  answer = (response) =>
    response.end(
      `${frame('sim-a:1 ')}data: {"error":{"metadata":{"error_type":"provider_unavailable"}}}\n\ndata: [DONE]\n\n`,
    );
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
  answer = (response) => response.end(frame('sim-a:1 '));
  assert.is((await ask(STREAMED)).type, 'unknown');
  answer = (response) => response.destroy();
  assert.is((await ask(STREAMED)).type, 'unknown');
  answer = (response) => void response.write(frame('a') + frame('b'));
  assert.equal(await ask({ ...STREAMED, leaveAfter: 2 }), {
    type: 'unknown',
    generation: 'gen-1',
    reason: 'the client left',
  });
});

it('numbered text is whole only as a single unbroken run', () => {
  assert.ok(isNumbered('sim-a:7 x1 x2 ', 3));
  for (const broken of ['sim-a:7 x1 ', 'sim-a:7 x1 x1 x2', 'sim-a:7 x2 x1', 'sim-a:7 x1 x2 sim-b:1 x1 x2', '']) {
    assert.not.ok(isNumbered(broken, 3), broken);
  }
});

test.run();
