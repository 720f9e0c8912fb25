import {
  Metadata,
  type ServerDuplexStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Clock } from '../../ports/clock.ts';
import type { Hello, Link, TransportLimits, TransportListener } from '../../ports/transport.ts';
import { openLink } from './link.ts';
import { bears, type Tls } from './tls.ts';

export const HELLO = 'troupe-hello';
export const LINK = 'troupe-link';
export const WELCOME = 'troupe-welcome';

const HALF_OPEN_MAX = 64;
const HALF_OPEN_MS = 5_000;

type Call = ServerDuplexStream<unknown, unknown>;

interface CalleeParts {
  readonly clock: Clock;
  readonly limits: TransportLimits;
  readonly tls?: Tls | undefined;
  /** Called with the peer of a connection that has proven the secret. */
  readonly trust: (peer: string) => void;
}

/** A link of which only one of the two streams has arrived. */
interface HalfOpen {
  readonly control?: Call;
  readonly data?: Call;
}

/** The accepting end of links: judges the hello of each stream, pairs the two streams of a link, answers probes that
 * the gate let in. */
export class Callee {
  readonly #parts: CalleeParts;
  readonly #listener: TransportListener;
  readonly #links: Set<Link>;
  readonly #halves = new Map<string, HalfOpen>();

  constructor(parts: CalleeParts, listener: TransportListener, links: Set<Link>) {
    this.#parts = parts;
    this.#listener = listener;
    this.#links = links;
  }

  implementation(): UntypedServiceImplementation {
    return {
      Control: (call: Call) => this.#arrived(call, 'control'),
      Data: (call: Call) => this.#arrived(call, 'data'),
      Probe: (_: unknown, answer: sendUnaryData<unknown>) => answer(null, { incarnation: this.#listener.incarnation }),
    };
  }

  #arrived(call: Call, half: 'control' | 'data'): void {
    const hello = parseHello(call.metadata.get(HELLO)[0]);
    const id = call.metadata.get(LINK)[0];
    const verdict = hello && typeof id === 'string' ? this.#judge(call, hello) : { refused: 'no hello' };
    if (hello === null || 'refused' in verdict) {
      refuse(call, 'refused' in verdict ? verdict.refused : 'no hello');
      return;
    }
    this.#parts.trust(call.getPeer());
    const key = `${hello.incarnation}/${id}`;
    const { control, data } = { ...this.#halves.get(key), [half]: call } as HalfOpen;
    if (!control || !data) {
      this.#wait(key, { [half]: call }, call);
      return;
    }
    this.#halves.delete(key);
    const metadata = new Metadata();
    metadata.set(WELCOME, JSON.stringify(verdict.welcome));
    control.sendMetadata(metadata);
    data.sendMetadata(metadata);
    this.#open(hello, control, data);
  }

  /** The name in the hello must be in the certificate of the connection. */
  #judge(call: Call, hello: Hello): ReturnType<TransportListener['admit']> {
    const { tls } = this.#parts;
    if (tls && !(tls.names.includes(hello.name) && bears(call.getAuthContext()?.sslPeerCertificate, hello.name))) {
      return { refused: `the certificate of the caller is not that of a node called "${hello.name}"` };
    }
    return this.#listener.admit(hello);
  }

  #wait(key: string, pair: HalfOpen, call: Call): void {
    if (this.#halves.size >= HALF_OPEN_MAX) {
      refuse(call, 'too many handshakes at once');
      return;
    }
    this.#halves.set(key, pair);
    call.on('error', () => this.#halves.delete(key));
    call.on('cancelled', () => this.#halves.delete(key));
    this.#parts.clock.after(HALF_OPEN_MS, () => {
      if (this.#halves.get(key) !== pair) return;
      this.#halves.delete(key);
      refuse(call, 'the other stream of the link did not arrive in time');
    });
  }

  #open(hello: Hello, control: Call, data: Call): void {
    const { clock, limits } = this.#parts;
    const link = openLink({ peer: data.getPeer(), control, data, clock, limits, links: this.#links });
    link.attach(this.#listener.accepted(hello, link));
  }
}

function refuse(call: Call, reason: string): void {
  call.on('error', () => {});
  call.emit('error', { code: status.FAILED_PRECONDITION, details: reason });
}

const HELLO_BYTES_MAX = 4_096;

function parseHello(text: unknown): Hello | null {
  if (typeof text !== 'string' || text.length > HELLO_BYTES_MAX) return null;
  try {
    const hello = JSON.parse(text) as Hello;
    const texts = [hello.name, hello.incarnation, hello.configDigest, hello.proof];
    const numbers = [hello.shards, hello.wireMajor];
    return texts.every((it) => typeof it === 'string') && numbers.every(Number.isInteger) ? hello : null;
  } catch {
    return null;
  }
}
