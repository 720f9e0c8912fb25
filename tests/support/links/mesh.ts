import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import { LinkProxy } from './proxy.ts';
import type { Toxics } from './toxics.ts';

/**
 * A proxy for each ordered pair of nodes, so that every direction can have its own faults. Each node dials every other
 * node, so the bytes from A to B travel upstream through the proxy that A dials and downstream through the one B dials.
 */
export class LinkMesh {
  readonly #proxies = new Map<string, LinkProxy>();
  readonly #parts: { readonly clock?: Clock; readonly random?: Random };

  constructor(parts: { readonly clock?: Clock; readonly random?: Random } = {}) {
    this.#parts = parts;
  }

  /** Opens the proxies between nodes that listen at these addresses. */
  async open(addresses: Readonly<Record<string, string>>): Promise<void> {
    const names = Object.keys(addresses);
    const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
    await Promise.all(
      pairs.map(async ([from, to]) => {
        const key = `${from}>${to}`;
        if (this.#proxies.has(key)) return;
        this.#proxies.set(key, await LinkProxy.open({ target: addresses[to] as string, ...this.#parts }));
      }),
    );
  }

  /** The address at which a node dials another; undefined before `open`. */
  route(from: string, to: string): string | undefined {
    return this.#proxies.get(`${from}>${to}`)?.address;
  }

  /**
   * Adds faults to everything that one node sends to another, over either link; the opposite direction is unaffected.
   */
  set(from: string, to: string, toxics: Toxics): void {
    this.#proxies.get(`${from}>${to}`)?.set('upstream', toxics);
    this.#proxies.get(`${to}>${from}`)?.set('downstream', toxics);
  }

  /** Drops everything from `from` to `to`; the connections stay open. */
  cut(from: string, to: string): void {
    this.set(from, to, { timeout: true });
  }

  /** Drops both directions. */
  part(a: string, b: string): void {
    this.cut(a, b);
    this.cut(b, a);
  }

  resetPeers(): void {
    for (const proxy of this.#proxies.values()) proxy.resetPeer();
  }

  heal(): void {
    for (const proxy of this.#proxies.values()) proxy.heal();
  }

  /** The effect of the faults so far: bytes stopped, connections ended. */
  get faulted(): number {
    return [...this.#proxies.values()].reduce((sum, proxy) => sum + proxy.faulted, 0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()));
  }
}
