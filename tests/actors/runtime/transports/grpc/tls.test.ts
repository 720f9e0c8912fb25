/** Which certificates link nodes that use TLS, tested from both ends (rule N32). */

import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Identity,
  LinkFailed,
  LinkRefused,
  type TransportListener,
} from '../../../../../actors/runtime/ports/transport.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import type { Tls } from '../../../../../actors/runtime/transports/grpc/tls.ts';
import { GrpcTransport } from '../../../../../actors/runtime/transports/grpc/transport.ts';
import { hello, LIMITS, Recorder } from '../../../../contracts/transport.contract.ts';
import { Authority } from '../../../../support/authority.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const names = ['n1', 'n2', 'n3'];
const ours = await Authority.make();
const theirs = await Authority.make('another authority');
const [n1, n2] = [await ours.issue({ names: ['n1'] }), await ours.issue({ names: ['n2'] })];

const open: GrpcTransport[] = [];
function transport(identity: Identity | null, known: readonly string[] = names): GrpcTransport {
  const tls: Tls | undefined = identity ? { ...identity, names: known } : undefined;
  const made = new GrpcTransport({
    clock: systemClock,
    random: systemRandom,
    limits: LIMITS,
    secret: 'secret',
    tls,
  });
  open.push(made);
  return made;
}
test.after.each(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** A listener that welcomes every caller whose hello it receives, under the given name. */
class WelcomingListener implements TransportListener {
  readonly incarnation = 'one';
  readonly admitted: string[] = [];
  readonly #name: string;
  constructor(name = 'n1') {
    this.#name = name;
  }
  admit(caller: { readonly name: string }) {
    this.admitted.push(caller.name);
    return { welcome: { name: this.#name, incarnation: 'one', charts: {}, proof: '' } };
  }
  accepted(): Recorder {
    return new Recorder();
  }
}

const called = (name: string) => ({ ...hello('two'), name });

async function dialled(caller: GrpcTransport, address: string, name: string): Promise<unknown> {
  return caller
    .dial(address, called(name), () => new Recorder())
    .then(
      () => null,
      (error: unknown) => error,
    );
}

it('two nodes with certificates of their own names link with TLS 1.3 (rule N32)', async () => {
  const listener = new WelcomingListener();
  const address = await transport(n1).listen('127.0.0.1:0', listener);
  const caller = transport(n2);
  assert.is(await dialled(caller, address, 'n2'), null);
  assert.ok(listener.admitted.length > 0 && listener.admitted.every((name) => name === 'n2'));
  assert.equal(await caller.probe(address, 1_000), { incarnation: 'one' });
  assert.is(await protocolOf(address, n2), 'TLSv1.3');
});

const CALLERS: readonly (readonly [string, () => Promise<Identity | null>, string])[] = [
  ['no TLS at all', async () => null, 'n2'],
  [
    'a certificate of another authority',
    async () => ({ ...(await theirs.issue({ names: ['n2'] })), ca: ours.certificate }),
    'n2',
  ],
  [
    'an expired certificate',
    () => ours.issue({ names: ['n2'], until: new Date(Date.now() - 1_000), from: new Date(0) }),
    'n2',
  ],
  [
    'a certificate that is not valid yet',
    () => ours.issue({ names: ['n2'], from: new Date(Date.now() + 3_600_000) }),
    'n2',
  ],
  ['the right authority and an unknown node name', () => ours.issue({ names: ['n9'] }), 'n9'],
  ["a node's certificate and another node's name", async () => n2, 'n3'],
  ["a node's certificate and a name of no node", async () => n2, 'n9'],
  ['a wildcard for a name', () => ours.issue({ names: ['*'] }), 'n2'],
  ['the certificate of an operator', () => ours.issue({ names: ['operator'] }), 'n2'],
];

for (const [title, identity, name] of CALLERS) {
  it(`a caller is refused with ${title}`, async () => {
    const listener = new WelcomingListener();
    const address = await transport(n1).listen('127.0.0.1:0', listener);
    const stranger = transport(await identity(), [...names, 'n9', '*', 'operator']);
    const error = await dialled(stranger, address, name);
    assert.ok(error instanceof LinkRefused || error instanceof LinkFailed, String(error));
    assert.equal(listener.admitted, [], 'its hello never reached the listener');
    assert.is(await dialled(transport(n2), address, 'n2'), null, 'the node still accepts links');
  });
}

it('a caller without a certificate is refused in the handshake, with TLS 1.2 and 1.3 (rule N32)', async () => {
  const address = await transport(n1).listen('127.0.0.1:0', new WelcomingListener());
  assert.match(await endOf(address, 'TLSv1.2'), /HANDSHAKE_FAILURE/);
  assert.match(await endOf(address, 'TLSv1.3'), /CERTIFICATE_REQUIRED/);
});

it('the server refuses a client with TLS 1.1 and accepts it with 1.2', async () => {
  const address = await transport(n1).listen('127.0.0.1:0', new WelcomingListener());
  assert.match(await protocolOf(address, n2, 'TLSv1.1'), /protocol version|PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/i);
  assert.is(await protocolOf(address, n2, 'TLSv1.2'), 'TLSv1.2');
  const old = createTlsServer({
    cert: n1.certificate,
    key: n1.key,
    minVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  const control = await protocolOf(`127.0.0.1:${(old.address() as AddressInfo).port}`, n2, 'TLSv1.1');
  old.close();
  assert.is(control, 'TLSv1.1', 'this client is able to use 1.1');
});

const IMPOSTORS: readonly (readonly [string, () => Promise<Identity>, string])[] = [
  ['another authority', () => theirs.issue({ names: ['n1'] }), 'n1'],
  [
    'an expired certificate',
    () => ours.issue({ names: ['n1'], until: new Date(Date.now() - 1_000), from: new Date(0) }),
    'n1',
  ],
  ['an unknown name', () => ours.issue({ names: ['n9'] }), 'n9'],
  ["another node's name", () => ours.issue({ names: ['n3'] }), 'n1'],
];

for (const [title, identity, name] of IMPOSTORS) {
  it(`a caller does not link with a server that shows ${title}`, async () => {
    const { certificate, key } = await identity();
    const server = transport({ ca: ours.certificate, certificate, key }, [...names, 'n9']);
    const address = await server.listen('127.0.0.1:0', new WelcomingListener(name));
    assert.instance(await dialled(transport(n2), address, 'n2'), LinkFailed);
    const probe = await transport(n2).probe(address, 500);
    if (title !== "another node's name") assert.is(probe, 'silent');
  });
}

it('a caller does not link with a server that supports at most TLS 1.1', async () => {
  const server = createSecureServer({
    ...{ cert: n1.certificate, key: n1.key, ca: ours.certificate, requestCert: true },
    ...{ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.instance(await dialled(transport(n2), address, 'n2'), LinkFailed);
  server.close();
});

it('without TLS a transport listens on loopback only, and its error names the remedy (rule N32, rule N36)', async () => {
  for (const address of ['0.0.0.0:0', '[::]:0', '192.168.7.7:0', 'node-1.example:0']) {
    const error = await transport(null)
      .listen(address, new WelcomingListener())
      .then(
        () => null,
        (thrown: Error) => thrown,
      );
    assert.match(error?.message ?? 'it listens', /without TLS: use a loopback address, or give the node a certificate/);
  }
});

/** The protocol that a client of at most this version negotiates with a server, or the error. */
function protocolOf(
  address: string,
  { ca, certificate, key }: Identity,
  version?: 'TLSv1.1' | 'TLSv1.2',
): Promise<string> {
  return new Promise((resolve) => {
    const socket = tlsConnect({
      ...{ host: '127.0.0.1', port: Number(address.split(':')[1]), ca, cert: certificate, key },
      ...{ ALPNProtocols: ['h2'], checkServerIdentity: () => undefined },
      ...(version ? { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    });
    socket.on('secureConnect', () => {
      resolve(socket.getProtocol() ?? 'none');
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code} ${error.message}`));
  });
}

/** The error with which a connection without a certificate ends. */
function endOf(address: string, version: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  return new Promise((resolve) => {
    const socket = tlsConnect({
      ...{ host: '127.0.0.1', port: Number(address.split(':')[1]), ca: ours.certificate, ALPNProtocols: ['h2'] },
      ...{ checkServerIdentity: () => undefined, minVersion: version, maxVersion: version },
    });
    socket.on('data', () => {});
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
    socket.on('close', () => resolve('closed'));
  });
}

test.run();
