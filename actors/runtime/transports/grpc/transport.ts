import { connect } from 'node:net';
import {
  type ChannelCredentials,
  type ClientDuplexStream,
  Metadata,
  Server,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Clock, Random } from '../../ports/clock.ts';
import {
  type Envelope,
  type Hello,
  type Link,
  LinkFailed,
  type LinkReceiver,
  LinkRefused,
  type ProbeResult,
  type Transport,
  type TransportLimits,
  type TransportListener,
  type Welcome,
} from '../../ports/transport.ts';
import { hostOf, isLoopback } from '../loopback-address.ts';
import { Acceptor } from './acceptor.ts';
import { Callee, HELLO, LINK, WELCOME } from './callee.ts';
import { type CallJudge, gate } from './gate.ts';
import { openLink } from './link.ts';
import { probeProof, provesProbe } from './probe-proof.ts';
import { loadService } from './proto.ts';
import { allowList, bears, channelCredentials, SERVER_NAME, serverCredentials, type Tls } from './tls.ts';

interface GrpcTransportParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: TransportLimits;
  /** The cluster's secret: a probe proves it, and a port answers nothing else. */
  readonly secret: string;
  /** Without it this transport listens on loopback only. */
  readonly tls?: Tls | undefined;
  /** For tests with a faulty wire: maps the address of a link to the address that is dialled instead. */
  readonly route?: ((address: string) => string) | undefined;
}

/** The header with the proof of a probe. */
export const PROBE = 'troupe-probe';
/** On a machine that is short of processor time one handshake takes seconds, and a new try begins from nothing. */
const DIAL_MS = 3_000;
const CLOSE_MS = 500;
const MESSAGE_SLACK_BYTES = 64 * 1024;
/** A link needs two streams, a probe one; this bounds any other client. */
const STREAMS_PER_CONNECTION_MAX = 64;

/**
 * Pings idle connections; a peer that does not answer loses its links. This closes connections to peers outside the membership; members
 * are voted out by their heartbeat rows within 4.5 s. After its own stall a node processes the time-out before the
 * answer, so the time-out is longer than any stall that a node survives. The flow-control window fits one full frame queue.
 */
function channelOptions(limits: TransportLimits): Record<string, number | string> {
  const messageBytesMax = limits.envelopeBytesMax + limits.frameBytesMax + MESSAGE_SLACK_BYTES;
  return {
    'grpc.keepalive_time_ms': 2_000,
    'grpc.keepalive_timeout_ms': 8_000,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.max_reconnect_backoff_ms': 250,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
    ...SERVER_NAME,
  };
}

type Calls = Record<'Data' | 'Control', (metadata: Metadata) => ClientDuplexStream<unknown, unknown>> & {
  Probe(
    request: object,
    metadata: Metadata,
    options: { deadline: number },
    answer: (error: ServiceError | null, reply?: { incarnation: string }) => void,
  ): void;
};

/** Links over gRPC. Every dial creates its own channel, so that grpc-js never reconnects by itself. */
export class GrpcTransport implements Transport {
  readonly #parts: GrpcTransportParts;
  readonly #Service: ServiceClientConstructor;
  readonly #links = new Set<Link>();
  readonly #credentials: ChannelCredentials;
  #server: Server | null = null;
  #acceptor: Acceptor | null = null;
  #closed = false;

  constructor(parts: GrpcTransportParts) {
    this.#parts = parts;
    this.#Service = loadService('link.proto', 'troupe.link', 'Link');
    this.#credentials = channelCredentials(parts.tls);
  }

  async listen(address: string, listener: TransportListener): Promise<string> {
    const { limits, tls } = this.#parts;
    if (!tls && !isLoopback(hostOf(address))) {
      throw new Error(
        `cannot listen on ${address} without TLS: use a loopback address, or give the node a certificate`,
      );
    }
    const trust = (peer: string): void => this.#acceptor?.trust(peer);
    const server = new Server({
      ...channelOptions(limits),
      'grpc.max_concurrent_streams': STREAMS_PER_CONNECTION_MAX,
      interceptors: [...(tls ? [allowList(tls)] : []), gate(this.#judges(), trust)],
    });
    this.#server = server;
    const injector = server.createConnectionInjector(serverCredentials(tls));
    const acceptor = new Acceptor(this.#parts.clock, (socket) => injector.injectConnection(socket));
    this.#acceptor = acceptor;
    const callee = new Callee({ ...this.#parts, trust }, listener, this.#links);
    server.addService(this.#Service.service, callee.implementation());
    const port = await acceptor.listen(hostOf(address), portOf(address)).catch((error: Error) => {
      throw new Error(`cannot listen on ${address}: ${error.message}`);
    });
    return `${address.slice(0, address.lastIndexOf(':'))}:${port}`;
  }

  /** By path. A stranger's probe learns nothing, not even the incarnation. */
  #judges(): ReadonlyMap<string, CallJudge> {
    const { secret } = this.#parts;
    const probe: CallJudge = (headers) =>
      provesProbe(secret, headers(PROBE)) ? null : 'the cluster secret is missing or wrong';
    return new Map([[(this.#Service.service.Probe as { path: string }).path, probe]]);
  }

  async dial(
    address: string,
    hello: Hello,
    attach: (link: Link, welcome: Welcome) => LinkReceiver,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }> {
    const { clock, limits, random, route } = this.#parts;
    const client = new this.#Service(route?.(address) ?? address, this.#credentials, channelOptions(limits));
    const metadata = new Metadata();
    metadata.set(HELLO, JSON.stringify(hello));
    metadata.set(LINK, Buffer.from(random.bytes(12)).toString('hex'));
    const calls = client as unknown as Calls;
    const control = calls.Control(metadata);
    const data = calls.Data(metadata);
    const freed = (): void => client.close();
    const link = openLink({ peer: address, control, data, clock, limits, links: this.#links, freed });
    const handshake = new HandshakeReceiver();
    link.attach(handshake);
    try {
      const welcome = await this.#welcomed([control, data], handshake);
      if (this.#closed) throw new LinkFailed('this transport is closed', false);
      handshake.open(() => attach(link, welcome));
      return { link, welcome };
    } catch (error) {
      link.close('the handshake failed');
      throw error;
    }
  }

  /** Resolves when both streams have received the welcome. */
  #welcomed(streams: readonly ClientDuplexStream<unknown, unknown>[], handshake: HandshakeReceiver): Promise<Welcome> {
    return new Promise((resolve, reject) => {
      const late = this.#parts.clock.after(DIAL_MS, () => reject(new LinkFailed('no answer to the handshake', false)));
      let missing = streams.length;
      const fail = (error: Error): void => {
        late();
        reject(error);
      };
      handshake.onClosed((reason) => fail(new LinkFailed(reason, /ECONNREFUSED/.test(reason))));
      for (const stream of streams) {
        stream.prependListener('error', (error: ServiceError) => {
          if (error.code === status.FAILED_PRECONDITION) fail(new LinkRefused(error.details));
        });
        stream.on('metadata', (metadata: Metadata) => {
          const welcome = parseWelcome(metadata.get(WELCOME)[0]);
          if (welcome === null) return fail(new LinkFailed('no welcome', false));
          if (this.#parts.tls && !bears(stream.getAuthContext()?.sslPeerCertificate, welcome.name)) {
            return fail(new LinkFailed(`its certificate is not that of a node called "${welcome.name}"`, false));
          }
          missing -= 1;
          if (missing > 0) return;
          late();
          resolve(welcome);
        });
      }
    });
  }

  async probe(address: string, withinMs: number): Promise<ProbeResult> {
    const open = await this.#probePort(address, withinMs);
    if (open !== 'open') return open;
    const client = new this.#Service(address, this.#credentials, channelOptions(this.#parts.limits));
    try {
      return await new Promise<ProbeResult>((resolve) => {
        const late = this.#parts.clock.after(withinMs, () => resolve('silent'));
        const deadline = this.#parts.clock.now() + withinMs;
        const nonce = Buffer.from(this.#parts.random.bytes(16)).toString('hex');
        const metadata = new Metadata();
        metadata.set(PROBE, probeProof(this.#parts.secret, nonce));
        (client as unknown as Calls).Probe({}, metadata, { deadline }, (error, reply) => {
          late();
          if (reply) resolve({ incarnation: reply.incarnation });
          else resolve(error && /ECONNREFUSED/.test(error.details) ? 'refused' : 'silent');
        });
      });
    } finally {
      client.close();
    }
  }

  /** A plain TCP connection distinguishes a closed port from a silent one sooner than a gRPC channel does. */
  #probePort(address: string, withinMs: number): Promise<'open' | 'refused' | 'silent'> {
    return new Promise((resolve) => {
      const socket = connect({ host: hostOf(address), port: portOf(address) });
      const finish = (answer: 'open' | 'refused' | 'silent'): void => {
        late();
        socket.destroy();
        resolve(answer);
      };
      const late = this.#parts.clock.after(withinMs, () => finish('silent'));
      socket.on('connect', () => finish('open'));
      socket.on('error', (error: NodeJS.ErrnoException) =>
        finish(error.code === 'ECONNREFUSED' ? 'refused' : 'silent'),
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const server = this.#server;
    server?.forceShutdown();
    this.#acceptor?.close();
    for (const link of [...this.#links]) link.close('closed');
    this.#links.clear();
    if (!server) return;
    await new Promise<void>((resolve) => {
      const late = this.#parts.clock.after(CLOSE_MS, resolve);
      server.tryShutdown(() => {
        late();
        resolve();
      });
    });
  }
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

function parseWelcome(text: unknown): Welcome | null {
  if (typeof text !== 'string') return null;
  try {
    const welcome = JSON.parse(text) as Welcome;
    const texts = [welcome.name, welcome.incarnation, welcome.proof];
    return texts.every((it) => typeof it === 'string') ? welcome : null;
  } catch {
    return null;
  }
}

/**
 * Buffers the traffic of a link until both streams have received the welcome, because the link may still be refused.
 */
class HandshakeReceiver implements LinkReceiver {
  #receiver: LinkReceiver | null = null;
  #early: ((receiver: LinkReceiver) => void)[] = [];
  #over: { readonly reason: string; readonly unsent: readonly Envelope[] } | null = null;
  #failed: (reason: string) => void = () => {};

  onClosed(failed: (reason: string) => void): void {
    this.#failed = failed;
  }

  /** Throws LinkFailed for a link that ended between its welcome and now. */
  open(attach: () => LinkReceiver): void {
    const before = this.#ended();
    if (before) throw new LinkFailed(before.reason, false);
    const receiver = attach();
    this.#receiver = receiver;
    const during = this.#ended();
    if (during) receiver.closed(during.reason, during.unsent);
    const early = this.#early;
    this.#early = [];
    for (const replay of early) {
      if (!this.#ended()) replay(receiver);
    }
  }

  #ended(): { readonly reason: string; readonly unsent: readonly Envelope[] } | null {
    return this.#over;
  }

  envelopes(batch: readonly Envelope[]): void {
    if (this.#receiver) this.#receiver.envelopes(batch);
    else this.#early.push((receiver) => receiver.envelopes(batch));
  }

  control(text: string): void {
    if (this.#receiver) this.#receiver.control(text);
    else this.#early.push((receiver) => receiver.control(text));
  }

  closed(reason: string, unsent: readonly Envelope[]): void {
    this.#over = { reason, unsent };
    if (this.#receiver) this.#receiver.closed(reason, unsent);
    else this.#failed(reason);
  }
}
