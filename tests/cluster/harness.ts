/** Several nodes in this process on one memory store, over loopback or gRPC; and ways to kill one without goodbye. */

import { type ClusterNode, type NodeParts, startNode, type TransportFactory } from '../../actors/runtime/node.ts';
import type { Transport } from '../../actors/runtime/ports/transport.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { systemRandom } from '../../actors/runtime/system/random.ts';
import { GrpcTransport } from '../../actors/runtime/transports/grpc/transport.ts';
import { LoopbackNetwork } from '../../actors/runtime/transports/loopback/network.ts';
import config from '../../cluster.config.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { tally } from './tally.ts';

export const TOKEN = 'operator-token';

export interface Started {
  readonly node: ClusterNode;
  readonly store: MemoryStore;
  readonly died: string[];
  readonly drains: number[];
  /** Cuts the node off without a word: links, listener and store at once. */
  kill(): Promise<void>;
}

export class Harness {
  readonly network = new LoopbackNetwork();
  readonly store = new MemoryStore({ clock: systemClock });
  readonly logs: Record<string, unknown>[] = [];
  readonly started: Started[] = [];
  readonly #wire: 'loopback' | 'grpc';

  constructor(wire: 'loopback' | 'grpc') {
    this.#wire = wire;
  }

  async start(name: string, change: Partial<NodeParts> = {}): Promise<Started> {
    const store = this.store.connect();
    const died: string[] = [];
    const drains: number[] = [];
    let transport: Transport | null = null;
    const factory: TransportFactory = (parts) => {
      transport =
        this.#wire === 'grpc' ? new GrpcTransport(parts) : this.network.transport(systemClock, config.runtime);
      return transport;
    };
    const node = await startNode({
      name,
      grpcAddress: '127.0.0.1:0',
      operatorUrl: () => `http://${name}`,
      host: 'test',
      pid: process.pid,
      kinds: [tally],
      store,
      clock: systemClock,
      random: systemRandom,
      limits: config.runtime,
      secret: 'cluster secret',
      operatorToken: TOKEN,
      configDigest: 'digest',
      transport: factory,
      log: (record) => this.logs.push({ at: Math.round(performance.now()), node: name, ...record }),
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
    await until(() => trio.every(({ node }) => node.ready), 'all three are ready');
    return trio as [Started, Started, Started];
  }

  /** Ends every node; one that was killed first learns that it is dead. */
  async close(): Promise<void> {
    await Promise.all(
      this.started.splice(0).map(async ({ node, store, died }) => {
        if (store.cut) {
          store.cut = false;
          await until(() => died.length > 0, `${node.self.name} learns that it is dead`);
        }
        await node.leave();
      }),
    );
  }
}

/** Polls a condition; the test's own time-out names what it waits for. */
export async function until(holds: () => boolean, what: string, withinMs = 8_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** An address whose shard this node serves. */
export function addressOn(node: ClusterNode, salt = ''): string {
  for (let i = 0; i < 10_000; i++) {
    const address = `tally:${salt}${i}`;
    if (node.owns(address)) return address;
  }
  throw new Error('this node owns nothing');
}
