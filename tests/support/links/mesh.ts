import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Random } from '../../../actors/runtime/ports/random.ts';
import { LinkProxy } from './proxy.ts';
import type { Toxics } from './toxics.ts';

/**
 * A proxy for each ordered pair of nodes, so that every direction between two of them can be faulty by itself. Each
 * node has a link of its own to every other, so what A sends to B travels up the proxy A dials and down the one B dials.
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

  /** Where a node dials another; undefined before `open`. */
  route(from: string, to: string): string | undefined {
    return this.#proxies.get(`${from}>${to}`)?.address;
  }

  /** What one node sends to another, over either link, is faulty from now on; what it hears of it is not. */
  set(from: string, to: string, toxics: Toxics): void {
    this.#proxies.get(`${from}>${to}`)?.set('upstream', toxics);
    this.#proxies.get(`${to}>${from}`)?.set('downstream', toxics);
  }

  /** Nothing of `from` reaches `to`; the connections stay open. */
  cut(from: string, to: string): void {
    this.set(from, to, { timeout: true });
  }

  /** Neither hears the other. */
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

  /** How much the faults have done so far: bytes stopped, connections ended. */
  get struck(): number {
    return [...this.#proxies.values()].reduce((sum, proxy) => sum + proxy.struck, 0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()));
  }
}
