import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { parseForm } from '../../../../gateway/edge/body/form-fields.ts';
import { RequestBodies } from '../../../../gateway/edge/body/request-bodies.ts';
import { beginRequest } from '../../../../gateway/edge/request-context.ts';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import type { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { memoryFiles } from '../../../support/memory-files.ts';

const it = bounded(test);
const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** What the edge makes of one request with these header lines: its fields, or the status of its refusal. */
async function read(body: string, line = FORM): Promise<ReadonlyMap<string, string> | number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const none = { startedAt: 0, invite: null, upgrade: null };
  const context = beginRequest({ request, response, ...none }, 'gen-1', { type: 'none' });
  const bodies = new RequestBodies({
    files: memoryFiles().filesOf({}),
    ...{ limits: config.edge, clock: systemClock, clients: new ClientAddresses([]) },
    authentication: { count: async () => null },
  });
  try {
    return (await bodies.form(context)).fields;
  } catch (thrown) {
    return (thrown as GatewayError).status;
  } finally {
    client.destroy();
    server.close();
  }
}

it('reads the fields that a browser sends', async () => {
  const fields = await read('key=sk-1&next=%2Fauth%3Fa%3D1%26b&empty=&name=J%C3%BCrgen+M', `${FORM}; charset=UTF-8`);
  assert.equal(
    [...(fields as ReadonlyMap<string, string>)],
    [
      ['key', 'sk-1'],
      ['next', '/auth?a=1&b'],
      ['empty', ''],
      ['name', 'Jürgen M'],
    ],
  );
});

it('refuses another type, a compressed body and one beyond the bound', async () => {
  assert.is(await read('a=1', 'Content-Type: application/json'), 415);
  assert.is(await read('a=1', 'Content-Type: text/plain'), 415);
  assert.is(await read('a=1', `${FORM}; charset=utf-16`), 415);
  assert.is(await read('a=1', `${FORM}\r\nContent-Encoding: gzip`), 415);
  assert.is(await read(`a=${'1'.repeat(64 * 1024)}`), 413);
});

test('a field of no single value is refused, and so are too many', () => {
  assert.throws(() => parseForm('a=1&b=2&a=3'), /repeated/);
  assert.throws(() => parseForm(Array.from({ length: 101 }, (_, i) => `f${i}=`).join('&')), /at most 100/);
  assert.is(parseForm('__proto__=1&constructor=2').get('__proto__'), '1');
});

test.run();
