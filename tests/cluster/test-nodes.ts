/** Several runtime nodes in this process on one store, the same over both wires: virtual-nodes.ts and grpc-nodes.ts. */
import type { ClusterNode, NodeParts } from '../../actors/runtime/node.ts';
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import type { MemoryStore } from '../support/memory-store.ts';

export interface Started {
  readonly node: ClusterNode;
  /** Its connection to the store; while `cut`, every call of it fails. */
  readonly store: { cut: boolean };
  readonly died: string[];
  readonly drains: number[];
  /** Cuts the node off abruptly: links, listener and store at once. */
  kill(): Promise<void>;
}

/** What a test changes of a node; `serves` false: its host does not report that it serves. */
export type Change = Partial<Omit<NodeParts, 'name' | 'store' | 'clock' | 'limits'>> & { readonly serves?: boolean };

export abstract class TestNodes<S extends Started = Started> {
  /** The time of the cluster. */
  abstract readonly clock: Clock;
  /** The store as a connection of the test's own. */
  abstract readonly store: MemoryStore;
  readonly logs: Record<string, unknown>[] = [];
  readonly started: S[] = [];

  abstract start(name: string, change?: Change): Promise<S>;
  abstract close(): Promise<void>;

  async trio(): Promise<[S, S, S]> {
    const trio = await Promise.all([this.start('n1'), this.start('n2'), this.start('n3')]);
    await this.until(() => trio.every(({ node }) => node.ready), 'all three are ready');
    await this.shared(trio.length);
    return trio;
  }

  /**
   * Resolves when so many nodes own shards and serve them: on a busy machine the first one is alone for long and hands
   * some over later, and the store names the next owner before that one has taken them.
   */
  async shared(owners: number): Promise<void> {
    const distinct = async (): Promise<number> => new Set((await this.store.shards()).map(({ owner }) => owner)).size;
    const serving = (): number => this.started.filter(({ node }) => ownedAddress(node, '') !== null).length;
    await this.until(async () => (await distinct()) === owners && serving() >= owners, 'each of them owns shards');
  }

  /** Polls a condition on the cluster's clock; the failure names the condition. */
  async until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 30_000): Promise<void> {
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
  const address = ownedAddress(node, salt);
  if (address === null) throw new Error('this node owns no shard');
  return address;
}

function ownedAddress(node: ClusterNode, salt: string): string | null {
  for (let i = 0; i < 10_000; i++) {
    const address = `tally:${salt}${i}`;
    if (node.owns(address)) return address;
  }
  return null;
}
