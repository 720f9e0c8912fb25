/**
 * Several nodes in this process on one memory store, and ways to kill one abruptly. Over loopback they run on a virtual
 * clock that advances by itself, independent of real time; over gRPC on the system clock.
 */

import type { ClusterNode, NodeParts, TransportFactory } from '../../actors/runtime/node.ts';
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import type { Transport } from '../../actors/runtime/ports/transport.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { GrpcTransport } from '../../actors/runtime/transports/grpc/transport.ts';
import { LoopbackNetwork } from '../../actors/runtime/transports/loopback/network.ts';
import config from '../../cluster.config.ts';
import { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { startBareNode } from '../support/cluster/bare-node.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { tally } from './tally.ts';

export interface Started {
  readonly node: ClusterNode;
  readonly store: MemoryStore;
  readonly died: string[];
  readonly drains: number[];
  /** Cuts the node off abruptly: links, listener and store at once. */
  kill(): Promise<void>;
}

export class Harness {
  readonly network = new LoopbackNetwork();
  readonly clock: Clock;
  readonly store: MemoryStore;
  readonly logs: Record<string, unknown>[] = [];
  readonly started: Started[] = [];
  readonly #wire: 'loopback' | 'grpc';
  readonly #stopClock: () => void;
  readonly #limits: typeof config.runtime;

  /** `byHand`: a clock that the test itself advances. */
  constructor(wire: 'loopback' | 'grpc', { byHand, shards }: { byHand?: HandClock; shards?: number } = {}) {
    this.#wire = wire;
    const virtual = byHand ?? new HandClock(Date.now());
    this.clock = wire === 'loopback' ? virtual : systemClock;
    this.#stopClock = wire === 'loopback' && !byHand ? virtual.run() : () => {};
    this.#limits = { ...config.runtime, ...(shards ? { shards } : {}) };
    this.store = new MemoryStore({ clock: this.clock, shards: this.#limits.shards });
  }

  async start(name: string, change: Partial<NodeParts> & { readonly serves?: boolean } = {}): Promise<Started> {
    const store = change.store instanceof MemoryStore ? change.store : this.store.connect();
    const died: string[] = [];
    const drains: number[] = [];
    let transport: Transport | null = null;
    const factory: TransportFactory = (parts) => {
      transport = this.#wire === 'grpc' ? new GrpcTransport(parts) : this.network.transport(this.clock, this.#limits);
      return transport;
    };
    const node = await startBareNode({
      name,
      kinds: [tally],
      store,
      clock: this.clock,
      limits: this.#limits,
      transport: factory,
      log: (record) => this.logs.push({ at: Math.round(this.clock.monotonic()), node: name, ...record }),
      onDead: (why) => died.push(why),
      onDrain: () => drains.push(1),
      ...change,
    });
    const kill = async (): Promise<void> => {
      store.cut = true;
      await (transport as Transport | null)?.close();
    };
    const started = { node, store, died, drains, kill };
    this.started.push(started);
    return started;
  }

  async trio(): Promise<[Started, Started, Started]> {
    const trio = await Promise.all([this.start('n1'), this.start('n2'), this.start('n3')]);
    await this.until(() => trio.every(({ node }) => node.ready), 'all three are ready');
    return trio as [Started, Started, Started];
  }

  /** Stops every node; waits first until a killed node detects its death. */
  async close(): Promise<void> {
    await Promise.all(
      this.started.splice(0).map(async ({ node, store, died }) => {
        if (store.cut) {
          store.cut = false;
          await this.until(() => died.length > 0, `${node.self.name} detects that it is dead`);
        }
        await node.leave();
      }),
    );
    this.#stopClock();
  }

  /** Polls a condition on the cluster's clock; the failure names the condition. */
  async until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 8_000): Promise<void> {
    const end = this.clock.monotonic() + withinMs;
    while (!(await holds())) {
      if (this.clock.monotonic() > end) throw new Error(`timed out waiting until ${what}`);
      await this.pause(5);
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, resolve);
    });
  }
}

/** An address whose shard this node serves. */
export function addressOn(node: ClusterNode, salt = ''): string {
  for (let i = 0; i < 10_000; i++) {
    const address = `tally:${salt}${i}`;
    if (node.owns(address)) return address;
  }
  throw new Error('this node owns no shard');
}
