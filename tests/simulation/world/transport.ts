import {
  type Hello,
  type Link,
  LinkFailed,
  type LinkReceiver,
  type ProbeResult,
  type Transport,
  type TransportListener,
  type Welcome,
} from '../../../actors/runtime/ports/transport.ts';
import type { SimulatedNetwork, Station } from './network.ts';

/** The simulated transport of one process. */
export class SimulatedTransport implements Transport {
  readonly #network: SimulatedNetwork;
  readonly #station: Station;
  readonly #links = new Set<Link>();
  #address: string | null = null;
  #closed = false;

  constructor(network: SimulatedNetwork, station: Station) {
    this.#network = network;
    this.#station = station;
  }

  async listen(address: string, door: TransportListener): Promise<string> {
    const admitted: TransportListener = {
      incarnation: door.incarnation,
      admit: (hello) => door.admit(hello),
      accepted: (hello, link) => {
        this.#links.add(link);
        return door.accepted(hello, link);
      },
    };
    this.#address = this.#network.bind(address, { station: this.#station, door: admitted });
    return this.#address;
  }

  async dial(address: string, hello: Hello, accept: (link: Link, welcome: Welcome) => LinkReceiver) {
    if (this.#closed) throw new LinkFailed('this transport is closed', false);
    const opened = await this.#network.dial(this.#station, address, hello, accept);
    this.#links.add(opened.link);
    if (this.#closed) opened.link.close('closed');
    return opened;
  }

  probe(address: string, withinMs: number): Promise<ProbeResult> {
    const { clock, place } = this.#station;
    return new Promise((resolve) => {
      clock.after(withinMs, () => resolve('silent'));
      const listener = this.#network.listener(address);
      if (listener === undefined) {
        clock.after(0, () => resolve('refused'));
        return;
      }
      const to = listener.station.place;
      const there = this.#network.wire(place.name, to.name);
      const back = this.#network.wire(to.name, place.name);
      this.#network.scheduler.after(
        1,
        () => {
          if (there.shut || back.shut) return;
          this.#network.scheduler.after(1, () => resolve({ incarnation: listener.door.incarnation }), place);
        },
        to,
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#address !== null) this.#network.unbind(this.#address, this.#station);
    for (const link of this.#links) link.close('closed');
    this.#links.clear();
    await new Promise<void>((resolve) => this.#station.clock.after(0, resolve));
  }
}
