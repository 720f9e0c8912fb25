import type { Clock } from '../../ports/clock.ts';
import {
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
import { LoopbackEnd } from './end.ts';

/** A virtual port: who listens behind an address. */
interface Listener {
  readonly address: string;
  readonly door: TransportListener;
}

/**
 * Several nodes in one process, found by address in this one object. Everything that crosses it is turned into bytes
 * and back. Directions between two addresses may be cut: what is sent there vanishes while the link stays open.
 */
export class LoopbackNetwork {
  readonly #listeners = new Map<string, Listener>();
  readonly #cuts = new Set<string>();
  #ports = 0;

  /** From now on nothing that `from` sends reaches `to`. */
  cut(from: string, to: string): void {
    this.#cuts.add(`${from}>${to}`);
  }

  heal(): void {
    this.#cuts.clear();
  }

  isCut(from: string, to: string): boolean {
    return this.#cuts.has(`${from}>${to}`);
  }

  /** One node's transport on this network. */
  transport(clock: Clock, limits: TransportLimits): Transport {
    return new LoopbackTransport(this, clock, limits);
  }

  listener(address: string): Listener | undefined {
    return this.#listeners.get(address);
  }

  /** Throws when the address is taken. */
  bind(address: string, door: TransportListener): string {
    const [host = '', port = ''] = address.split(/:(?=\d+$)/);
    if (port === '0') this.#ports += 1;
    const bound = port === '0' ? `${host}:${this.#ports}` : address;
    if (this.#listeners.has(bound)) throw new Error(`${bound} is in use`);
    this.#listeners.set(bound, { address: bound, door });
    return bound;
  }

  unbind(address: string): void {
    this.#listeners.delete(address);
  }
}

class LoopbackTransport implements Transport {
  readonly #network: LoopbackNetwork;
  readonly #clock: Clock;
  readonly #limits: TransportLimits;
  readonly #ends = new Set<LoopbackEnd>();
  #address: string | null = null;

  constructor(network: LoopbackNetwork, clock: Clock, limits: TransportLimits) {
    this.#network = network;
    this.#clock = clock;
    this.#limits = limits;
  }

  async listen(address: string, door: TransportListener): Promise<string> {
    const admitted: TransportListener = {
      incarnation: door.incarnation,
      admit: (hello) => door.admit(hello),
      accepted: (hello, link) => {
        this.#ends.add(link as LoopbackEnd);
        return door.accepted(hello, link);
      },
    };
    this.#address = this.#network.bind(address, admitted);
    return this.#address;
  }

  async dial(
    address: string,
    hello: Hello,
    hear: (link: Link, welcome: Welcome) => LinkReceiver,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }> {
    await this.#turn();
    const own = this.#address ?? 'nowhere:0';
    const listener = this.#network.listener(address);
    if (!listener) throw new LinkFailed(`${address} refuses`, true);
    if (this.#network.isCut(own, address) || this.#network.isCut(address, own)) {
      throw new LinkFailed(`${address} does not answer`, false);
    }
    const verdict = listener.door.admit(JSON.parse(JSON.stringify(hello)) as Hello);
    if ('refused' in verdict) throw new LinkRefused(verdict.refused);
    const near = new LoopbackEnd({ network: this.#network, from: own, to: address, ...this.#parts() });
    const far = new LoopbackEnd({ network: this.#network, from: address, to: own, ...this.#parts() });
    this.#ends.add(near);
    try {
      near.join(far, hear(near, verdict.welcome));
    } catch (error) {
      near.close('not taken');
      throw error;
    }
    far.join(near, listener.door.accepted(hello, far));
    return { link: near, welcome: verdict.welcome };
  }

  async probe(address: string, _withinMs: number): Promise<ProbeResult> {
    await this.#turn();
    const listener = this.#network.listener(address);
    if (!listener) return 'refused';
    const own = this.#address ?? 'nowhere:0';
    if (this.#network.isCut(own, address) || this.#network.isCut(address, own)) return 'silent';
    return { incarnation: listener.door.incarnation };
  }

  async close(): Promise<void> {
    if (this.#address !== null) this.#network.unbind(this.#address);
    for (const end of this.#ends) end.close('closed');
    this.#ends.clear();
    await this.#turn();
  }

  #parts(): { readonly clock: Clock; readonly limits: TransportLimits; readonly over: (end: LoopbackEnd) => void } {
    return { clock: this.#clock, limits: this.#limits, over: (end) => this.#ends.delete(end) };
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#clock.after(0, resolve));
  }
}
