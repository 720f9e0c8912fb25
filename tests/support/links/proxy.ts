/**
 * A faulty network in front of one port: a TCP proxy with the vocabulary of
 * toxiproxy. `upstream` is what the dialling end sends, `downstream` what comes back. Faults apply to connections that
 * are open as well as to new ones, from the moment they are set.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import { systemClock, systemRandom } from '../../../actors/runtime/system/clock.ts';
import { Pipe } from './pipe.ts';
import type { Toxics } from './toxics.ts';

type Direction = 'upstream' | 'downstream';

interface ProxyParts {
  /** host:port of the node behind it. */
  readonly target: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  readonly pipes: readonly Pipe[];
}

export class LinkProxy {
  readonly #parts: Required<ProxyParts>;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #toxics: Record<Direction, Toxics> = { upstream: {}, downstream: {} };
  /** Bytes stopped, and connections refused or ended; shows whether a fault took effect. */
  faulted = 0;
  #down = false;

  private constructor(parts: ProxyParts) {
    this.#parts = { clock: systemClock, random: systemRandom, ...parts };
    this.#server = createServer((near) => this.#accept(near));
  }

  static async open(parts: ProxyParts): Promise<LinkProxy> {
    const proxy = new LinkProxy(parts);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Replaces the faults of this direction. */
  set(direction: Direction, toxics: Toxics): void {
    this.#toxics[direction] = toxics;
    for (const { pipes } of this.#pairs) for (const pipe of pipes) pipe.changed();
  }

  /** Removes all faults. */
  heal(): void {
    this.#down = false;
    this.set('upstream', {});
    this.set('downstream', {});
  }

  /** Closes open connections and refuses new ones. */
  down(): void {
    this.#down = true;
    for (const { near } of [...this.#pairs]) this.#end(near, false);
  }

  /** Resets every open connection; new ones are accepted. */
  resetPeer(): void {
    for (const { near } of [...this.#pairs]) this.#end(near, true);
  }

  async close(): Promise<void> {
    this.down();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(near: Socket): void {
    const colon = this.#parts.target.lastIndexOf(':');
    if (this.#down) {
      this.faulted += 1;
      near.resetAndDestroy();
      return;
    }
    const far = connect({
      host: this.#parts.target.slice(0, colon),
      port: Number(this.#parts.target.slice(colon + 1)),
    });
    const pipes = [this.#pipe('upstream', near, far, near), this.#pipe('downstream', far, near, near)];
    const pair = { near, far, pipes };
    this.#pairs.add(pair);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
  }

  #pipe(direction: Direction, from: Socket, to: Socket, near: Socket): Pipe {
    const { clock, random } = this.#parts;
    const pipe = new Pipe({
      ...{ clock, random, from, to },
      toxics: () => this.#toxics[direction],
      stopped: (bytes) => {
        this.faulted += bytes;
      },
      spent: () => this.#end(near, false),
    });
    from.on('data', (bytes) => pipe.carry(bytes));
    from.on('end', () => pipe.end());
    return pipe;
  }

  #end(near: Socket, reset: boolean): void {
    for (const pair of this.#pairs) {
      if (pair.near !== near) continue;
      this.#pairs.delete(pair);
      this.faulted += 1;
      if (reset) {
        pair.near.resetAndDestroy();
        pair.far.resetAndDestroy();
      } else {
        pair.near.destroy();
        pair.far.destroy();
      }
    }
  }
}
