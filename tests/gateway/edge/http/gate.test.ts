import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Gate, type GateOptions } from '../../../../gateway/edge/http/gate.ts';
import { beginVisit } from '../../../../gateway/edge/visit.ts';
import { bounded } from '../../../support/bounded.ts';
import { rawExchange } from '../../../support/raw-exchange.ts';

const it = bounded(test, 10_000);

/** What a request is answered with that fails, after so much of an answer was sent. */
async function refused(sent: string | null): Promise<{ readonly answer: string; readonly logged: number }> {
  let logged = 0;
  const services = { log: { error: () => logged++, warn: () => logged++ } };
  const gate = new Gate({ services } as unknown as GateOptions);
  const head = { authorizations: [], apiKeys: [], hosts: 1, count: 1 };
  const server = createServer((request, response) => {
    beginVisit(request, { id: 'gen-1', head, presented: { type: 'none' }, startedAt: 0, invite: null });
    if (sent !== null) response.write(sent);
    setImmediate(() => void gate.refuse(new RangeError('of nobody'), request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await rawExchange(base, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { answer, logged };
}

it('answers what nobody expected with a 500 that says nothing of it, and logs it', async () => {
  const { answer, logged } = await refused(null);
  assert.match(answer, /^HTTP\/1\.1 500 [\s\S]*\r\nx-generation-id: gen-1\r\n[\s\S]*"message":"Internal Server Error"/);
  assert.not.match(answer, /of nobody/);
  assert.is(logged, 1);
});

it('ends a connection on which half an answer has left, and answers nothing into it', async () => {
  const { answer, logged } = await refused('half');
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.not.match(answer, /Internal Server Error|\r\n0\r\n/);
  assert.is(logged, 1);
});

test.run();
