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

/** A bound virtual port and its listener. */
interface BoundPort {
  readonly address: string;
  readonly listener: TransportListener;
}

/**
 * The network of several nodes in one process, each found by its address in this object. All traffic is serialised and
 * parsed. The direction between two addresses can be cut: its traffic is lost while the link stays open.
 */
export class LoopbackNetwork {
  readonly #ports = new Map<string, BoundPort>();
  readonly #cuts = new Set<string>();
  #lastPort = 0;

  /** Drops all traffic from `from` to `to` until `heal`. */
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

  boundPort(address: string): BoundPort | undefined {
    return this.#ports.get(address);
  }

  /** Throws when the address is taken. */
  bind(address: string, listener: TransportListener): string {
    const [host = '', port = ''] = address.split(/:(?=\d+$)/);
    if (port === '0') this.#lastPort += 1;
    const bound = port === '0' ? `${host}:${this.#lastPort}` : address;
    if (this.#ports.has(bound)) throw new Error(`${bound} is in use`);
    this.#ports.set(bound, { address: bound, listener });
    return bound;
  }

  unbind(address: string): void {
    this.#ports.delete(address);
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

  async listen(address: string, listener: TransportListener): Promise<string> {
    const admitted: TransportListener = {
      incarnation: listener.incarnation,
      admit: (hello) => listener.admit(hello),
      accepted: (hello, link) => {
        this.#ends.add(link as LoopbackEnd);
        return listener.accepted(hello, link);
      },
    };
    this.#address = this.#network.bind(address, admitted);
    return this.#address;
  }

  async dial(
    address: string,
    hello: Hello,
    attach: (link: Link, welcome: Welcome) => LinkReceiver,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }> {
    await this.#turn();
    const own = this.#address ?? 'nowhere:0';
    const port = this.#network.boundPort(address);
    if (!port) throw new LinkFailed(`${address} refuses`, true);
    if (this.#network.isCut(own, address) || this.#network.isCut(address, own)) {
      throw new LinkFailed(`${address} does not answer`, false);
    }
    const verdict = port.listener.admit(JSON.parse(JSON.stringify(hello)) as Hello);
    if ('refused' in verdict) throw new LinkRefused(verdict.refused);
    const near = new LoopbackEnd({ network: this.#network, from: own, to: address, ...this.#parts() });
    const far = new LoopbackEnd({ network: this.#network, from: address, to: own, ...this.#parts() });
    this.#ends.add(near);
    try {
      near.join(far, attach(near, verdict.welcome));
    } catch (error) {
      near.close('not taken');
      throw error;
    }
    far.join(near, port.listener.accepted(hello, far));
    return { link: near, welcome: verdict.welcome };
  }

  async probe(address: string, _withinMs: number): Promise<ProbeResult> {
    await this.#turn();
    const port = this.#network.boundPort(address);
    if (!port) return 'refused';
    const own = this.#address ?? 'nowhere:0';
    if (this.#network.isCut(own, address) || this.#network.isCut(address, own)) return 'silent';
    return { incarnation: port.listener.incarnation };
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
