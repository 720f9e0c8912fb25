import { connect } from 'node:net';
import {
  type ClientDuplexStream,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import {
  type Door,
  type Ear,
  type Envelope,
  type Hello,
  type Link,
  LinkFailed,
  LinkRefused,
  type Probe,
  type SideService,
  type Transport,
  type TransportLimits,
  type Welcome,
} from '../../ports/transport.ts';
import { Callee, HELLO, LINK, WELCOME } from './callee.ts';
import type { Frame } from './frame.ts';
import { GrpcLink, type Stream } from './link.ts';
import { loadService } from './proto.ts';

export interface GrpcTransportParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: TransportLimits;
  /** Served beside the link service on the same port. */
  readonly services?: readonly SideService[];
}

const DIAL_MS = 1_000;
const CLOSE_MS = 500;
const MESSAGE_SLACK_BYTES = 64 * 1024;

/** Pings on an idle connection; a peer that leaves them unanswered loses its links. Windows fit one full frame queue. */
function channelOptions(limits: TransportLimits): Record<string, number> {
  const messageBytesMax = limits.envelopeBytesMax + limits.frameBytesMax + MESSAGE_SLACK_BYTES;
  return {
    'grpc.keepalive_time_ms': 2_000,
    'grpc.keepalive_timeout_ms': 2_000,
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
  };
}

type Calls = Record<'Data' | 'Control', (metadata: Metadata) => ClientDuplexStream<unknown, unknown>> & {
  Probe(
    request: object,
    options: { deadline: number },
    answer: (error: ServiceError | null, reply?: { incarnation: string }) => void,
  ): void;
};

/** Links over gRPC. Every dial makes a channel of its own, so grpc-js never reconnects behind the cluster's back. */
export class GrpcTransport implements Transport {
  readonly #parts: GrpcTransportParts;
  readonly #Service: ServiceClientConstructor;
  readonly #links = new Set<Link>();
  #server: Server | null = null;
  #closed = false;

  constructor(parts: GrpcTransportParts) {
    this.#parts = parts;
    this.#Service = loadService('link.proto', 'troupe.link', 'Link');
  }

  async listen(address: string, door: Door): Promise<string> {
    const server = new Server(channelOptions(this.#parts.limits));
    this.#server = server;
    const callee = new Callee(this.#parts, door, this.#links);
    server.addService(this.#Service.service, callee.implementation());
    for (const side of this.#parts.services ?? []) {
      server.addService(side.definition as ServiceDefinition, side.implementation as UntypedServiceImplementation);
    }
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(new Error(`cannot listen on ${address}: ${error.message}`));
        else resolve(bound);
      });
    });
    return `${address.slice(0, address.lastIndexOf(':'))}:${port}`;
  }

  async dial(
    address: string,
    hello: Hello,
    hear: (link: Link) => Ear,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }> {
    const client = new this.#Service(address, credentials.createInsecure(), channelOptions(this.#parts.limits));
    const metadata = new Metadata();
    metadata.set(HELLO, JSON.stringify(hello));
    metadata.set(LINK, Buffer.from(this.#parts.random.bytes(12)).toString('hex'));
    const calls = client as unknown as Calls;
    const control = calls.Control(metadata);
    const data = calls.Data(metadata);
    const link = new GrpcLink({
      peer: address,
      data: data as unknown as Stream<Frame>,
      control: control as unknown as Stream<{ text: string }>,
      limits: this.#parts.limits,
      clock: this.#parts.clock,
      release: () => {
        this.#links.delete(link);
        // Never cancel(): with writes pending, Node 20's http2 then spins for ever (seen here, nodejs/node 52952).
        // Half-closed streams end with the peer's answer, or with the connection when its keepalive goes unanswered.
        control.end();
        data.end();
        client.close();
      },
    });
    this.#links.add(link);
    const gate = new Gate(link, hear);
    link.attach(gate);
    try {
      const welcome = await this.#welcomed([control, data], gate);
      if (this.#closed) throw new LinkFailed('this transport is closed', false);
      gate.open();
      return { link, welcome };
    } catch (error) {
      link.close('the handshake failed');
      throw error;
    }
  }

  /** Resolves when both streams were welcomed. */
  #welcomed(streams: readonly ClientDuplexStream<unknown, unknown>[], gate: Gate): Promise<Welcome> {
    return new Promise((resolve, reject) => {
      const late = this.#parts.clock.after(DIAL_MS, () => reject(new LinkFailed('no answer to the handshake', false)));
      let missing = streams.length;
      const fail = (error: Error): void => {
        late();
        reject(error);
      };
      gate.onClosed((reason) => fail(new LinkFailed(reason, /ECONNREFUSED/.test(reason))));
      for (const stream of streams) {
        stream.prependListener('error', (error: ServiceError) => {
          if (error.code === status.FAILED_PRECONDITION) fail(new LinkRefused(error.details));
        });
        stream.on('metadata', (metadata: Metadata) => {
          const text = metadata.get(WELCOME)[0];
          if (typeof text !== 'string') return fail(new LinkFailed('no welcome', false));
          missing -= 1;
          if (missing > 0) return;
          late();
          resolve(JSON.parse(text) as Welcome);
        });
      }
    });
  }

  async probe(address: string, withinMs: number): Promise<Probe> {
    const open = await this.#knock(address, withinMs);
    if (open !== 'open') return open;
    const client = new this.#Service(address, credentials.createInsecure(), channelOptions(this.#parts.limits));
    try {
      return await new Promise<Probe>((resolve) => {
        const late = this.#parts.clock.after(withinMs, () => resolve('silent'));
        const deadline = this.#parts.clock.now() + withinMs;
        (client as unknown as Calls).Probe({}, { deadline }, (error, reply) => {
          late();
          if (reply) resolve({ incarnation: reply.incarnation });
          else resolve(error && /ECONNREFUSED/.test(error.details) ? 'refused' : 'silent');
        });
      });
    } finally {
      client.close();
    }
  }

  /** A bare connection tells a closed port from a silent one sooner than a gRPC channel would. */
  #knock(address: string, withinMs: number): Promise<'open' | 'refused' | 'silent'> {
    return new Promise((resolve) => {
      const colon = address.lastIndexOf(':');
      const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
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

/** Stands before the real ear until both streams were welcomed: nothing is heard of a link that may yet be refused. */
class Gate implements Ear {
  readonly #link: Link;
  readonly #hear: (link: Link) => Ear;
  #ear: Ear | null = null;
  #early: (() => void)[] = [];
  #failed: (reason: string) => void = () => {};

  constructor(link: Link, hear: (link: Link) => Ear) {
    this.#link = link;
    this.#hear = hear;
  }

  onClosed(failed: (reason: string) => void): void {
    this.#failed = failed;
  }

  open(): void {
    const ear = this.#hear(this.#link);
    this.#ear = ear;
    for (const replay of this.#early) replay();
    this.#early = [];
  }

  envelopes(batch: readonly Envelope[]): void {
    if (this.#ear) this.#ear.envelopes(batch);
    else this.#early.push(() => this.#ear?.envelopes(batch));
  }

  control(text: string): void {
    if (this.#ear) this.#ear.control(text);
    else this.#early.push(() => this.#ear?.control(text));
  }

  closed(reason: string, unsent: readonly Envelope[]): void {
    if (this.#ear) this.#ear.closed(reason, unsent);
    else this.#failed(reason);
  }
}
