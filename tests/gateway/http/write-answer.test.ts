import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generationHeaders, nameAnswer } from '../../../gateway/edge/generation-headers.ts';
import { writeAnswer } from '../../../gateway/http/write-answer.ts';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';

const it = bounded(test);

/**
 * Sends `bytes` to a server that answers every request with `body`; `named` sets headers beforehand. Returns the
 * answer.
 */
async function answered(bytes: string, body: string, named = false): Promise<string> {
  const server = createServer((_request, response) => {
    if (named) nameAnswer(response, 'gen-1');
    writeAnswer(response, 200, generationHeaders('gen-1'), body);
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await rawExchange(base, bytes);
  await new Promise((resolve) => server.close(resolve));
  return answer.replaceAll(/\r\nDate: [^\r]*/g, '');
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n';
const CLOSE = `${GET}Connection: close\r\n\r\n`;
const NAMES = 'x-generation-id: gen-1\r\nx-request-id: gen-1\r\nrequest-id: gen-1\r\n';

it('an answer consists of its head, its length in bytes and its body', async () => {
  const expected = `HTTP/1.1 200 OK\r\n${NAMES}content-length: 5\r\nConnection: close\r\n\r\nü…`;
  assert.is(await answered(CLOSE, 'ü…'), expected);
  assert.is(await answered(CLOSE, 'ü…', true), expected);
});

it('large answers, answers to HEAD and queued answers are sent whole and in order', async () => {
  const large = 'x'.repeat(3_000_000);
  assert.ok((await answered(CLOSE, large)).endsWith(`\r\n\r\n${large}`));
  const three = await answered(`${GET}\r\n${GET}\r\n${CLOSE}`, 'whole');
  assert.is(three.split('\r\n\r\nwhole').length, 4);
  assert.ok(three.endsWith('Connection: close\r\n\r\nwhole'));
  assert.ok((await answered(CLOSE.replace('GET', 'HEAD'), 'whole')).endsWith('Connection: close\r\n\r\n'));
});

test.run();
