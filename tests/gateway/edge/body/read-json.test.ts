import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { OpenUploads } from '../../../../gateway/edge/body/open-uploads.ts';
import { readJson } from '../../../../gateway/edge/body/read-json.ts';
import type { EdgeRoutes } from '../../../../gateway/edge/edge-routes.ts';
import { beginRequest, type RequestContext, takeBody } from '../../../../gateway/edge/request-context.ts';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import { OneAtATime } from '../../../../gateway/overload/one-at-a-time.ts';
import { CallerLeft } from '../../../../gateway/terms/caller-left.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

/** Sends one request over a real connection that announces `length` bytes and sends `{}`. */
async function arrived(length: number): Promise<{ context: RequestContext; leave: () => void; end: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n{}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const none = { credential: { type: 'none' }, startedAt: 0, invite: null, upgrade: null } as const;
  const context = beginRequest({ request, response, id: 'gen-1', ...none });
  const end = (): void => {
    client.destroy();
    server.close();
  };
  return { context, leave: () => client.destroy(), end };
}

function edgeOf(reserved: number[]): EdgeRoutes {
  return {
    services: { limits: config.edge, clock: systemClock },
    bodies: { reservation: () => (bytes: number) => reserved.push(bytes) > 0 },
    largeBodies: new OneAtATime(),
    openUploads: new OpenUploads(config.edge),
    clients: new ClientAddresses([]),
    authentication: { count: async () => null },
  } as unknown as EdgeRoutes;
}

for (const [what, length] of [
  ['which has arrived whole', 2],
  ['which would reserve room', 100_000],
] as const) {
  it(`refuses a body ${what} if the client left before it was read`, async () => {
    const { context, leave, end } = await arrived(length);
    leave();
    // As it happens during authentication.
    await once(context.response, 'close');
    const reserved: number[] = [];
    const thrown = await readJson(context, edgeOf(reserved)).catch((error: unknown) => error);
    assert.instance(thrown, CallerLeft);
    // The close event that would release the reservation has already fired.
    assert.equal(reserved, []);
    end();
  });
}

it('the body is taken once, and the context drops its reference', async () => {
  const { context, end } = await arrived(2);
  assert.throws(() => takeBody(context), /takes no JSON/);
  context.body = await readJson(context, edgeOf([]));
  assert.equal(takeBody(context), { value: {}, bytes: 2 });
  assert.is(takeBody(context).value, undefined);
  end();
});

test.run();
