import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { ErrorEnvelope } from '../../../gateway/dialects/reply/error-envelope.ts';
import { type RefuseParts, refuse } from '../../../gateway/edge/refuse.ts';
import { beginRequest } from '../../../gateway/edge/request-context.ts';
import { RequestReports } from '../../../gateway/edge/request-reports.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { NO_MEASURES } from '../../../gateway/terms/measures.ts';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';

const it = bounded(test);

interface Refused {
  readonly answer: string;
  readonly logged: number;
}

/** Returns the answer to `thrown`, after the part `sent` of an answer was sent. */
async function refused(
  thrown: unknown,
  { sent, envelope }: { readonly sent?: string; readonly envelope?: ErrorEnvelope } = {},
): Promise<Refused> {
  let logged = 0;
  const count = () => logged++;
  const parts: RefuseParts = {
    admission: { count: async () => null, giveBack: () => {} },
    reports: new RequestReports({
      clock: systemClock,
      now: () => 0,
      measures: NO_MEASURES,
      log: { error: count, warn: count },
      requestLog: null,
      tracing: null,
    }),
  };
  const server = createServer((request, response) => {
    const none = { startedAt: 0, invite: null, upgrade: null };
    const context = beginRequest({ request, response, ...none }, 'gen-1', { type: 'none' });
    if (sent !== undefined) response.write(sent);
    if (envelope !== undefined) context.errorEnvelope = envelope;
    setImmediate(() => void refuse(thrown, context, parts));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await rawExchange(base, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { answer, logged };
}

it('answers an unexpected failure with a 500 without its message, and logs it (rule E3)', async () => {
  const { answer, logged } = await refused(new RangeError('unexpected detail'));
  assert.match(answer, /^HTTP\/1\.1 500 [\s\S]*\r\nx-generation-id: gen-1\r\n[\s\S]*"message":"Internal Server Error"/);
  assert.not.match(answer, /unexpected detail/);
  assert.is(logged, 1);
});

it('closes a connection on which part of an answer was sent, without writing to it', async () => {
  const { answer, logged } = await refused(new RangeError('unexpected detail'), { sent: 'half' });
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.not.match(answer, /Internal Server Error|\r\n0\r\n/);
  assert.is(logged, 1);
});

it('a dialect may render a refusal: its type, headers and body; the status and the other headers stay', async () => {
  const error = new GatewayError({
    status: 400,
    type: 'invalid_request',
    message: 'no',
    headers: { 'retry-after': '7' },
  });
  const envelope: ErrorEnvelope = ({ type, message }, generation) => ({
    type: 'application/problem+json',
    headers: { 'x-dialect': 'own' },
    body: `{"type":"error","${type}":"${message}","request_id":"${generation}"}`,
  });
  const { answer } = await refused(error, { envelope });
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*\r\nx-generation-id: gen-1\r\n[\s\S]*\r\nretry-after: 7\r\n/);
  assert.match(answer, /\r\nx-dialect: own\r\ncontent-type: application\/problem\+json\r\n/);
  assert.match(answer, /\r\n\r\n\{"type":"error","invalid_request":"no","request_id":"gen-1"\}$/);
});

test.run();
