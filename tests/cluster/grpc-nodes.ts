/** Nodes over gRPC on loopback and on the system clock, for what only a real transport shows. */
import type { TransportFactory } from '../../actors/runtime/node.ts';
import type { Transport } from '../../actors/runtime/ports/transport.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { GrpcTransport } from '../../actors/runtime/transports/grpc/transport.ts';
import { tally } from '../actors/example-kinds/tally.ts';
import { startBareNode } from '../support/cluster/bare-node.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { type Change, type Started, TestNodes } from './test-nodes.ts';

export class GrpcNodes extends TestNodes {
  readonly clock = systemClock;
  readonly store = new MemoryStore({ clock: systemClock });

  async start(name: string, change: Change = {}): Promise<Started> {
    const store = this.store.connect();
    const died: string[] = [];
    const drains: number[] = [];
    let transport: Transport | null = null;
    const make: TransportFactory = change.transport ?? ((parts) => new GrpcTransport(parts));
    const node = await startBareNode({
      name,
      kinds: [tally],
      store,
      log: (record) => this.logs.push({ at: Math.round(this.clock.monotonic()), node: name, ...record }),
      onDead: (why) => died.push(why),
      onDrain: () => drains.push(1),
      ...change,
      transport: (parts) => {
        transport = make(parts);
        return transport;
      },
    });
    const kill = async (): Promise<void> => {
      store.cut = true;
      await transport?.close();
    };
    const started = { node, store, died, drains, kill };
    this.started.push(started);
    return started;
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
  }
}
