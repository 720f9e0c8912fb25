import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { RequestBodies } from '../../../../gateway/edge/body/request-bodies.ts';
import { beginRequest, type RequestContext, takeBody } from '../../../../gateway/edge/request-context.ts';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import { CallerLeft } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { memoryFiles } from '../../../support/memory-files.ts';

const it = bounded(test);

/** Sends one request over a real connection that announces `length` bytes and sends `{}`. */
async function arrived(length: number): Promise<{ context: RequestContext; leave: () => void; end: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n{}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const none = { startedAt: 0, invite: null, upgrade: null };
  const context = beginRequest({ request, response, ...none }, 'gen-1', { type: 'none' });
  const end = (): void => {
    client.destroy();
    server.close();
  };
  return { context, leave: () => client.destroy(), end };
}

const bodiesOf = (): RequestBodies =>
  new RequestBodies({
    files: memoryFiles().filesOf({}),
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

it('the body is taken once, and the context drops its reference', async () => {
  const { context, end } = await arrived(2);
  assert.throws(() => takeBody(context), /takes no JSON/);
  context.body = await bodiesOf().json(context);
  assert.equal(takeBody(context), { value: {}, bytes: 2 });
  assert.is(takeBody(context).value, undefined);
  end();
});

test.run();
