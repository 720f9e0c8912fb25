import { freePort } from '../support/cluster/launched-cluster.ts';
import { LinkMesh } from '../support/links/mesh.ts';

/** The direction that is cut between one node and all others. */
export const CUTS = ['cut', 'cut outbound', 'cut inbound'] as const;
export type Cut = (typeof CUTS)[number];

/** The links between the nodes of a launched cluster, each direction of each through a proxy that can cut it. */
export class Links {
  readonly #addresses: Readonly<Record<string, string>>;
  readonly #mesh = new LinkMesh();

  private constructor(addresses: Readonly<Record<string, string>>) {
    this.#addresses = addresses;
  }

  /** Gives every node a fixed port as the target of its proxies. */
  static async open(nodes: readonly { readonly name: string }[]): Promise<Links> {
    const addresses: Record<string, string> = {};
    for (const { name } of nodes) addresses[name] = `127.0.0.1:${await freePort()}`;
    const links = new Links(addresses);
    await links.#mesh.open(addresses);
    return links;
  }

  /** Overrides of the configuration. */
  get overlay(): object {
    const nodes = Object.entries(this.#addresses);
    return { nodes: nodes.map(([name, grpc]) => ({ name, grpc, operator: '127.0.0.1:0' })) };
  }

  /** Makes each node dial the others through the proxies. */
  get env(): Readonly<Record<string, string>> {
    const names = Object.keys(this.#addresses);
    const routes = names.map((from) => {
      const others = names.filter((to) => to !== from);
      return [from, Object.fromEntries(others.map((to) => [this.#addresses[to], this.#mesh.route(from, to)]))] as const;
    });
    return { TROUPE_LINK_ROUTES: JSON.stringify(Object.fromEntries(routes)) };
  }

  get faulted(): number {
    return this.#mesh.faulted;
  }

  cut(node: string, cut: Cut): void {
    for (const other of Object.keys(this.#addresses)) {
      if (other === node) continue;
      if (cut !== 'cut inbound') this.#mesh.cut(node, other);
      if (cut !== 'cut outbound') this.#mesh.cut(other, node);
    }
  }

  heal(): void {
    this.#mesh.heal();
  }

  close(): Promise<void> {
    return this.#mesh.close();
  }
}
