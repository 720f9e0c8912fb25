import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkFailed } from '../../../../../actors/runtime/ports/transport.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { GrpcTransport } from '../../../../../actors/runtime/transports/grpc/transport.ts';
import { hello, LIMITS, Recorder, transportContract } from '../../../../contracts/transport.contract.ts';
import { Authority } from '../../../../support/authority.ts';
import { bounded } from '../../../../support/bounded.ts';

const parts = { clock: systemClock, random: systemRandom, limits: LIMITS, secret: 'secret' };
const make = (): GrpcTransport => new GrpcTransport(parts);
transportContract(test, make);

const names = ['callee', ...['a1', 'a2', 'b1'].map((incarnation) => hello(incarnation).name)];
const tls = { ...(await (await Authority.make()).issue({ names })), names };
transportContract(
  (title, run) => test(`with TLS, ${title}`, run),
  () => new GrpcTransport({ ...parts, tls }),
);

const it = bounded(test);

it('a port that accepts connections and never answers is silent, and a dial to it fails in time', async () => {
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(mute.address() as { port: number }).port}`;
  const sockets = new Set<{ destroy(): void }>();
  mute.on('connection', (socket) => sockets.add(socket));
  const transport = make();
  assert.is(await transport.probe(address, 200), 'silent');
  try {
    await transport.dial(address, hello('a1'), () => new Recorder());
    assert.unreachable();
  } catch (error) {
    assert.instance(error, LinkFailed);
    assert.is((error as LinkFailed).refusedByPort, false);
  }
  await transport.close();
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test.run();
