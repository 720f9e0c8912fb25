/** Nodes over loopback, each on a host of its own, on a clock that the test advances; the event loop of each can be paused. */
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import type { Hello, Link, LinkReceiver, Transport, Welcome } from '../../actors/runtime/ports/transport.ts';
import config from '../../cluster.config.ts';
import { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { Harness, type Started } from './harness.ts';

const SHARDS = 8;
const STEP_MS = 10;
const LOOK_MS = 50;

/** Tasks that a paused event loop has not run yet. */
class Pause {
  on = false;
  #held: (() => void)[] = [];

  run(call: () => void): void {
    if (this.on) this.#held.push(call);
    else call();
  }

  end(): void {
    this.on = false;
    const held = this.#held;
    this.#held = [];
    for (const call of held) call();
  }
}

export interface VirtualNode extends Started {
  readonly pause: Pause;
  /** Offset of its wall clock. */
  skewMs: number;
}

export class VirtualNodes {
  readonly clock = new HandClock();
  readonly harness = new Harness('loopback', { byHand: this.clock, shards: SHARDS });
  readonly network = this.harness.network;
  readonly store = this.harness.store;
  readonly nodes: VirtualNode[] = [];

  /** Starts nodes n1, n2, ... each the given number of ms after the previous one, and waits until all are ready. */
  static async start(gapsMs: readonly number[]): Promise<VirtualNodes> {
    const cluster = new VirtualNodes();
    for (const gapMs of gapsMs) {
      await cluster.clock.advance(gapMs);
      await cluster.#add(`n${cluster.nodes.length + 1}`);
    }
    await cluster.until(() => cluster.nodes.every(({ node }) => node.ready), 10_000);
    // New nodes send heartbeats faster; the tests measure the normal interval.
    await cluster.clock.advance(5_000);
    return cluster;
  }

  /** Advances until the condition holds; returns the elapsed time, or null on timeout. */
  async until(holds: () => boolean, withinMs: number): Promise<number | null> {
    const from = this.clock.monotonic();
    while (this.clock.monotonic() - from < withinMs) {
      if (holds()) return this.clock.monotonic() - from;
      await this.clock.advance(STEP_MS);
    }
    return holds() ? withinMs : null;
  }

  /** Stalls one event loop for the given time; `meanwhile` is called often. */
  async pause({ pause }: VirtualNode, ms: number, meanwhile: () => void = () => {}): Promise<void> {
    pause.on = true;
    for (let past = 0; past < ms; past += LOOK_MS) {
      await this.clock.advance(Math.min(LOOK_MS, ms - past));
      meanwhile();
    }
    pause.end();
  }

  isAlive({ node }: VirtualNode): boolean {
    const row = this.store.allNodes().find((each) => each.incarnation === node.self.incarnation);
    return row?.state === 'up';
  }

  async #add(name: string): Promise<void> {
    const pause = new Pause();
    const virtual = { pause, skewMs: 0 };
    const clock = pausing(this.clock, virtual);
    const started = await this.harness.start(name, {
      ...{ grpcAddress: `${name}:0`, host: name, clock, store: this.store.connect(clock) },
      transport: () => pausingTransport(this.network.transport(clock, config.runtime), pause),
    });
    this.nodes.push(Object.assign(virtual, started));
  }
}

function pausing(clock: Clock, node: Pick<VirtualNode, 'pause' | 'skewMs'>): Clock {
  return {
    now: () => clock.now() + node.skewMs,
    monotonic: () => clock.monotonic(),
    after: (delayMs, run) => {
      let over = false;
      const cancel = clock.after(delayMs, () => node.pause.run(() => void (over || run())));
      return () => {
        over = true;
        cancel();
      };
    },
  };
}

/** Frames that arrive during a pause are delivered when it ends, as from a socket buffer. */
function pausingTransport(transport: Transport, pause: Pause): Transport {
  const late = (ear: LinkReceiver): LinkReceiver => ({
    envelopes: (batch) => pause.run(() => ear.envelopes(batch)),
    control: (text) => pause.run(() => ear.control(text)),
    closed: (reason, unsent) => pause.run(() => ear.closed(reason, unsent)),
  });
  return {
    listen: (address, door) =>
      transport.listen(address, {
        incarnation: door.incarnation,
        admit: (hello: Hello) => door.admit(hello),
        accepted: (hello: Hello, link: Link) => late(door.accepted(hello, link)),
      }),
    dial: (address, hello, hear) =>
      transport.dial(address, hello, (link: Link, welcome: Welcome) => late(hear(link, welcome))),
    probe: (address, withinMs) => transport.probe(address, withinMs),
    close: () => transport.close(),
  };
}
