import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { credentials, Metadata, status } from '@grpc/grpc-js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { STRANGERS_MAX } from '../../../../../actors/runtime/transports/grpc/acceptor.ts';
import { probeProof } from '../../../../../actors/runtime/transports/grpc/probe-proof.ts';
import { loadService } from '../../../../../actors/runtime/transports/grpc/proto.ts';
import { GrpcTransport, PROBE } from '../../../../../actors/runtime/transports/grpc/transport.ts';
import { hello, LIMITS, Recorder, TestListener } from '../../../../contracts/transport.contract.ts';
import { bounded } from '../../../../support/bounded.ts';

/** What a stranger can do at the port of a node. */
const it = bounded(test);

const PROBE_MS = 30_000;
const open: GrpcTransport[] = [];
function transport(secret = 'secret'): GrpcTransport {
  const made = new GrpcTransport({ clock: systemClock, random: systemRandom, limits: LIMITS, secret });
  open.push(made);
  return made;
}
test.after.each(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

type Answer = { readonly code: number; readonly text: string };

type Probe = (request: object, metadata: Metadata, answer: (error: unknown, reply: unknown) => void) => void;

function rawProbe(address: string, proof: string | null): Promise<Answer> {
  const metadata = new Metadata();
  if (proof !== null) metadata.set(PROBE, proof);
  const Service = loadService('link.proto', 'troupe.link', 'Link');
  const client = new Service(address, credentials.createInsecure());
  return new Promise((resolve) => {
    (client as unknown as { readonly Probe: Probe }).Probe({}, metadata, (error, reply) => {
      client.close();
      const { code = 0, details = '' } = (error ?? {}) as { code?: number; details?: string };
      resolve({ code, text: details + JSON.stringify(reply ?? {}) });
    });
  });
}

it('a probe without the secret, or with a proof for another nonce, learns nothing', async () => {
  const address = await transport().listen('127.0.0.1:0', new TestListener('incarnation-1'));
  const nonce = 'a'.repeat(32);
  const proof = probeProof('secret', nonce);
  const proofs = [
    ...[null, '', nonce, proof.slice(0, -1), `${proof}0`],
    probeProof('another secret', nonce),
    'b'.repeat(nonce.length) + proof.slice(nonce.length),
    probeProof('secret', ''),
  ];
  for (const each of proofs) {
    const { code, text } = await rawProbe(address, each);
    assert.is(code, status.UNAUTHENTICATED, `${each}`);
    assert.not.match(text, /incarnation-1/);
  }
  assert.is(await transport('another secret').probe(address, PROBE_MS), 'silent');
  assert.equal(await transport().probe(address, PROBE_MS), { incarnation: 'incarnation-1' });
});

it('connections of strangers are bounded, and keep out no node and none that is linked', async () => {
  const listener = new TestListener('b1');
  const address = await transport().listen('127.0.0.1:0', listener);
  const linked = await transport().dial(address, hello('a1'), () => new Recorder());
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  const sockets: Socket[] = [];
  let closed = 0;
  for (let i = 0; i < STRANGERS_MAX * 3; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.resume().once('close', () => closed++);
    await once(socket, 'connect');
    sockets.push(socket);
  }
  while (closed < STRANGERS_MAX * 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const another = await transport().dial(address, hello('a2'), () => new Recorder());
  assert.equal(await transport().probe(address, PROBE_MS), { incarnation: 'b1' });
  assert.ok(another.link.control('still here'));
  assert.ok(linked.link.control('still here'), 'a link is never closed for strangers');
  for (const socket of sockets) socket.destroy();
});

test.run();
