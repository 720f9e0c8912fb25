import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import {
  type Hello,
  type Link,
  LinkFailed,
  type LinkReceiver,
  LinkRefused,
  type TransportLimits,
  type TransportListener,
  type Welcome,
} from '../../../actors/runtime/ports/transport.ts';
import type { Dice } from './dice.ts';
import { Direction } from './direction.ts';
import { LinkEnd } from './link-end.ts';
import type { Place, Scheduler } from './scheduler.ts';
import { Wire, type WireTraits } from './wire.ts';

/** Timeout of a dial, and the largest difference between the two ends in detecting a lost link. */
const DIAL_MS = 1_500;
const NOTICE_MS_MAX = 60;

/** A process on the network. */
export interface Station {
  readonly place: Place;
  readonly clock: Clock;
  readonly limits: TransportLimits;
}

interface Listener {
  readonly station: Station;
  readonly door: TransportListener;
}

interface SimulatedLink {
  readonly near: LinkEnd;
  readonly far: LinkEnd;
}

/**
 * All links between the nodes of one world. A link delivers in order and at most once. A fault delays it or ends it; its
 * two ends may detect that at different times, with frames still arriving in between.
 */
export class SimulatedNetwork {
  /** A wire shut for this long ends its links, as a transport's keep-alive would. */
  keepAliveMs = 5_000;
  traits: WireTraits = { minMs: 0.1, maxMs: 1, spikes: 0 };
  readonly scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #listeners = new Map<string, Listener>();
  readonly #wires = new Map<string, Wire>();
  readonly #links = new Set<SimulatedLink>();
  #ports = 0;

  constructor(scheduler: Scheduler, dice: Dice) {
    this.scheduler = scheduler;
    this.#dice = dice;
  }

  wire(from: string, to: string): Wire {
    const name = `${from}>${to}`;
    let wire = this.#wires.get(name);
    if (wire === undefined) {
      wire = new Wire(this.traits);
      this.#wires.set(name, wire);
    }
    return wire;
  }

  /** Blocks all frames from `from` to `to` (node names). */
  shut(from: string, to: string): void {
    const wire = this.wire(from, to);
    if (wire.shut) return;
    wire.shut = true;
    this.scheduler.after(this.keepAliveMs, () => {
      if (wire.shut) for (const link of this.#between(from, to)) this.#notice(link, 'no sign of life');
    });
  }

  open(from: string, to: string): void {
    this.wire(from, to).open();
  }

  /** Opens every wire and restores its initial speed. */
  heal(): void {
    for (const wire of this.#wires.values()) {
      wire.traits = this.traits;
      wire.open();
    }
  }

  slow(traits: WireTraits): void {
    for (const wire of this.#wires.values()) wire.traits = traits;
  }

  /** Loses a frame between these two, which ends their links. False if they have no link. */
  breakLinks(from: string, to: string): boolean {
    const links = this.#between(from, to);
    for (const link of links) {
      if (this.#dice.happens(0.5)) link.near.lose();
      else link.far.lose();
      this.#notice(link, 'a frame was lost');
    }
    return links.length > 0;
  }

  /** The process has ended. With `silent` its host sends no reset. */
  vanish(place: Place, silent: boolean): void {
    for (const [address, { station }] of this.#listeners) {
      if (station.place === place && !silent) this.#listeners.delete(address);
    }
    for (const link of [...this.#links]) {
      for (const [own, other] of [
        [link.near, link.far],
        [link.far, link.near],
      ] as const) {
        if (own.place !== place) continue;
        own.abandon();
        if (!silent) own.farewell('connection reset');
        else this.scheduler.after(this.keepAliveMs, () => other.finish('no sign of life'), other.place);
      }
    }
  }

  bind(address: string, listener: Listener): string {
    const [host = '', port = ''] = address.split(/:(?=\d+$)/);
    if (port === '0') this.#ports += 1;
    const bound = port === '0' ? `${host}:${40_000 + this.#ports}` : address;
    const holder = this.#listeners.get(bound);
    if (holder !== undefined && holder.station.place.state !== 'gone') throw new Error(`${bound} is in use`);
    // A host that is up again refuses connections to the process that ended.
    for (const [other, { station }] of this.#listeners) {
      if (station.place.state === 'gone' && station.place.name === listener.station.place.name) {
        this.#listeners.delete(other);
      }
    }
    this.#listeners.set(bound, listener);
    return bound;
  }

  unbind(address: string, station: Station): void {
    if (this.#listeners.get(address)?.station === station) this.#listeners.delete(address);
  }

  /** The listener at an address; a process that ended silently is still listed. */
  listener(address: string): Listener | undefined {
    return this.#listeners.get(address);
  }

  /** Opens a link; `from` waits for the listener's answer, up to `DIAL_MS`. */
  dial(from: Station, address: string, hello: Hello, accept: (link: Link, welcome: Welcome) => LinkReceiver) {
    return new Promise<{ readonly link: Link; readonly welcome: Welcome }>((resolve, reject) => {
      const listener = this.#listeners.get(address);
      let waits = true;
      const fail = (message: string, refused: boolean): void => {
        waits = false;
        reject(new LinkFailed(message, refused));
      };
      const late = from.clock.after(DIAL_MS, () => fail(`${address} does not answer`, false));
      if (listener === undefined) {
        from.clock.after(this.#dice.between(0.1, 2), () => fail(`${address} refuses`, true));
        return;
      }
      const to = listener.station;
      const there = new Direction(this.scheduler, this.#dice, this.wire(from.place.name, to.place.name), to.place);
      const back = new Direction(this.scheduler, this.#dice, this.wire(to.place.name, from.place.name), from.place);
      const text = JSON.stringify(hello);
      there.send(() => {
        const parsed = JSON.parse(text) as Hello;
        const verdict = this.#listeners.get(address) === listener ? listener.door.admit(parsed) : null;
        if (verdict === null) return back.send(() => fail(`${address} refuses`, true));
        if ('refused' in verdict) return back.send(() => reject(new LinkRefused(verdict.refused)));
        const link = this.#join(from, to, address, there, back);
        back.send(() => {
          late();
          if (!waits) return link.near.close('the dial has timed out');
          if (!link.near.open) return fail(`${address} went away`, false);
          try {
            link.near.attach(accept(link.near, verdict.welcome));
            resolve({ link: link.near, welcome: verdict.welcome });
          } catch (error) {
            link.near.close('not taken');
            reject(error);
          }
        });
        // Accepted last, so that frames the listener sends at once arrive after its welcome.
        link.far.attach(listener.door.accepted(parsed, link.far));
      });
    });
  }

  #join(from: Station, to: Station, address: string, there: Direction, back: Direction): SimulatedLink {
    const over = (): void => {
      if (!link.near.open && !link.far.open) this.#links.delete(link);
    };
    const near = new LinkEnd({ ...from, peer: address, out: there, over });
    const far = new LinkEnd({ ...to, peer: from.place.name, out: back, over });
    const link = { near, far };
    near.join(far);
    far.join(near);
    this.#links.add(link);
    return link;
  }

  #between(from: string, to: string): readonly SimulatedLink[] {
    return [...this.#links].filter(({ near, far }) => {
      const names = [near.place.name, far.place.name];
      return names.includes(from) && names.includes(to);
    });
  }

  #notice({ near, far }: SimulatedLink, reason: string): void {
    for (const end of [near, far]) {
      this.scheduler.after(this.#dice.between(0, NOTICE_MS_MAX), () => end.finish(reason), end.place);
    }
  }
}
