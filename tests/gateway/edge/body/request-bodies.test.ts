import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { RequestBodies } from '../../../../gateway/edge/body/request-bodies.ts';
import { JSON_BODY, jsonBody } from '../../../../gateway/edge/body/route-body.ts';
import { beginRequest, type RequestContext, takeBody, uploadOf } from '../../../../gateway/edge/request-context.ts';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import type { FileLimits } from '../../../../gateway/terms/config/config.ts';
import { CallerLeft, type GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { memoryFiles } from '../../../support/memory-files.ts';

const it = bounded(test);

const FORM_TYPE = 'multipart/form-data; boundary=limit';
const FORM = '--limit\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--limit--\r\n';

interface Arrived {
  readonly context: RequestContext;
  readonly leave: () => void;
  readonly end: () => void;
}

/** Sends one request over a real connection that announces `length` bytes and sends this text. */
async function arrived(length: number, text = '{}', type = 'application/json'): Promise<Arrived> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${text}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const none = { startedAt: 0, invite: null, upgrade: null };
  const context = beginRequest({ request, response, ...none }, 'gen-1', { type: 'none' });
  const end = (): void => {
    client.destroy();
    server.close();
  };
  return { context, leave: () => client.destroy(), end };
}

const bodiesOf = (limits: Partial<FileLimits> = {}): RequestBodies =>
  new RequestBodies({
    files: { ...memoryFiles().filesOf({}), limits: { ...config.files, ...limits } },
    limits: config.edge,
    clock: systemClock,
    clients: new ClientAddresses([]),
    authentication: { count: async () => null },
  });

for (const [what, length] of [
  ['which has arrived whole', 2],
  ['which would reserve room', 100_000],
] as const) {
  it(`refuses a body ${what} if the client left before it was read`, async () => {
    const { context, leave, end } = await arrived(length);
    leave();
    // As it happens during authentication.
    await once(context.response, 'close');
    const bodies = bodiesOf();
    const thrown = await bodies.json(context).catch((error: unknown) => error);
    assert.instance(thrown, CallerLeft);
    // The close event that would release a reservation has already fired; half of the room is nobody's share.
    const caller = { account: 'account:a', key: 'key:a/k', kind: 'inference' } as const;
    assert.ok(bodies.frame(caller, context.request).place.reserve(config.edge.bodiesBytesMax / 2));
    end();
  });
}

it('an account uploads so many files at once, each until its request is answered', async () => {
  const file = { type: 'upload', fileBytesMax: 10, fieldsMax: 1, fieldBytesMax: 10 } as const;
  const bodies = bodiesOf({ uploadsPerAccountMax: 1 });
  const [first, second] = [await arrived(FORM.length, FORM, FORM_TYPE), await arrived(FORM.length, FORM, FORM_TYPE)];
  first.context.body = await bodies.read(first.context, file);
  const refused = (await bodies.read(second.context, file).catch((error: unknown) => error)) as GatewayError;
  assert.is(refused.status, 429);
  uploadOf(first.context).close();
  second.context.body = await bodies.read(second.context, file);
  const { filename, source, close } = uploadOf(second.context);
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  assert.equal([filename, Buffer.concat(pieces).toString()], ['a.txt', 'hello']);
  close();
  first.end();
  second.end();
});

it('the answer of a route that declares its members names the others of its body', async () => {
  for (const [body, named] of [
    [JSON_BODY, undefined],
    [jsonBody({ properties: { a: {} } }), undefined],
    [jsonBody({ properties: {} }), 'a'],
  ] as const) {
    const { context, end } = await arrived(7, '{"a":1}');
    context.body = await bodiesOf().read(context, body);
    assert.equal(takeBody(context), { value: { a: 1 }, bytes: 7 });
    assert.is(context.response.getHeader('x-unread-members'), named);
    end();
  }
});

it('the body is taken once, and the context drops its reference', async () => {
  const { context, end } = await arrived(2);
  assert.throws(() => takeBody(context), /takes no JSON/);
  context.body = await bodiesOf().json(context);
  assert.equal(takeBody(context), { value: {}, bytes: 2 });
  assert.is(takeBody(context).value, undefined);
  end();
});

test.run();
