/**
 * Three nodes in this process, with every direction between two of them separately cuttable: over gRPC by one proxy each,
 * on virtual time by the network itself.
 */
import { AskError, type Json } from '../../actors/runtime/index.ts';
import { GrpcTransport } from '../../actors/runtime/transports/grpc/transport.ts';
import { LinkMesh } from '../support/links/mesh.ts';
import { GrpcNodes } from './grpc-nodes.ts';
import type { Change, Started, TestNodes } from './test-nodes.ts';
import { VirtualNodes } from './virtual-nodes.ts';

const NAMES = ['n1', 'n2', 'n3'] as const;
const ASK_MS = 2_000;

/** One ask as a client observed it. */
interface Answered {
  readonly address: string;
  /** The sum in the reply, or null without a reply. */
  readonly sum: number | null;
  /** The failure, if any. */
  readonly failure: string | null;
  readonly tookMs: number;
  /** Its deadline, as a duration. */
  readonly withinMs: number;
}

export class LinkedTrio {
  readonly nodes: TestNodes;
  readonly mesh = new LinkMesh();
  readonly answers: Answered[] = [];
  readonly #bound: Record<string, string> = {};
  #asking = true;
  #askers: Promise<void>[] = [];

  readonly #virtual: VirtualNodes | null;

  private constructor(wire: 'virtual' | 'grpc') {
    this.#virtual = wire === 'virtual' ? new VirtualNodes() : null;
    this.nodes = this.#virtual ?? new GrpcNodes();
  }

  /** Starts three nodes and waits until all are ready and own shards. All proxies exist before the first node registers, hence before any dial. */
  static async start(wire: 'virtual' | 'grpc'): Promise<LinkedTrio> {
    const trio = new LinkedTrio(wire);
    let opened = (): void => {};
    const proxies = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const onBound = (name: string) => async (address: string) => {
      trio.#bound[name] = address;
      if (Object.keys(trio.#bound).length === NAMES.length) {
        if (wire === 'grpc') await trio.mesh.open(trio.#bound);
        opened();
      }
      await proxies;
    };
    const all = await Promise.all(NAMES.map((name) => trio.nodes.start(name, trio.#parts(name, onBound(name)))));
    await trio.nodes.until(() => all.every(({ node }) => node.ready), 'all three are ready');
    await trio.nodes.shared(NAMES.length);
    return trio;
  }

  /** Drops everything that `from` sends to `to`. */
  cut(from: string, to: string): void {
    if (this.#virtual === null) this.mesh.cut(from, to);
    else this.#virtual.cut(from, to);
  }

  heal(): void {
    this.mesh.heal();
    this.#virtual?.heal();
  }

  /** The node of this name that is alive; throws when it is not. */
  node(name: string): Started {
    const found = this.nodes.started.find(({ node, died }) => node.self.name === name && died.length === 0);
    if (!found) throw new Error(`${name} is not alive`);
    return found;
  }

  alive(): readonly string[] {
    return this.nodes.store
      .allNodes()
      .filter((row) => row.state === 'joining' || row.state === 'up')
      .map((row) => row.name);
  }

  /** Restarts dead nodes at their old addresses, as the launcher would. */
  async revive(): Promise<void> {
    for (const name of NAMES) {
      if (this.alive().includes(name)) continue;
      const grpcAddress = this.#bound[name] as string;
      await this.nodes.start(name, { ...this.#parts(name, async () => {}), grpcAddress });
    }
  }

  /** Sends asks continuously from each node to each address, in sequence, and records the outcomes. */
  ask(addresses: readonly string[]): void {
    for (const name of NAMES) this.#askers.push(this.#askFrom(name, addresses));
  }

  async stopAsking(): Promise<void> {
    this.#asking = false;
    await Promise.all(this.#askers);
  }

  /** True when every shard has one living owner and all nodes can reach all addresses. */
  async isWhole(addresses: readonly string[]): Promise<boolean> {
    if (this.alive().length < NAMES.length) return false;
    try {
      await Promise.all(
        NAMES.flatMap((name) =>
          addresses.map((to) => this.node(name).node.ask(to, { type: 'tally.read' }, { withinMs: 1_000 })),
        ),
      );
      return true;
    } catch (error) {
      return error instanceof AskError && error.failure.code === 'absent';
    }
  }

  async close(): Promise<void> {
    this.#asking = false;
    this.heal();
    await Promise.all(this.#askers);
    await this.nodes.close();
    await this.mesh.close();
  }

  async #askFrom(name: string, addresses: readonly string[]): Promise<void> {
    for (let i = 0; this.#asking; i++) {
      const asker = this.nodes.started.find(({ node, died }) => node.self.name === name && died.length === 0);
      if (!asker) {
        await this.nodes.pause(20);
        continue;
      }
      const address = addresses[i % addresses.length] as string;
      const began = this.nodes.clock.monotonic();
      const answer = await asker.node.ask(address, { type: 'tally.add', by: 1 }, { withinMs: ASK_MS }).then(
        (body: Json) => ({ sum: (body as { sum: number }).sum, failure: null }),
        (error: unknown) => ({ sum: null, failure: String(error) }),
      );
      this.answers.push({ address, ...answer, tookMs: this.nodes.clock.monotonic() - began, withinMs: ASK_MS });
      if (answer.failure !== null) await this.nodes.pause(5);
    }
  }

  #parts(name: string, onBound: (address: string) => Promise<void>): Change {
    if (this.#virtual !== null) return { onBound };
    const route = (address: string): string => {
      const to = NAMES.find((other) => this.#bound[other] === address);
      return (to && this.mesh.route(name, to)) ?? address;
    };
    return { onBound, transport: (parts) => new GrpcTransport({ ...parts, route }) };
  }
}
