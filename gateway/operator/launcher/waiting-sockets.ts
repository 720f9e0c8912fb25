import type { Socket } from 'node:net';

/** An accepted connection that no node was offered. */
export interface WaitingSocket {
  readonly socket: Socket;
  /** Client address. */
  readonly address: string;
  /** Monotonic ms of the accept. */
  readonly since: number;
}

/**
 * Accepted connections in the order in which nodes are offered them: addresses in turn, each first come, first served,
 * so that a client that opens thousands of connections does not delay the first one of another. Unbounded: its owner
 * bounds it. (rule E27)
 */
export class WaitingSockets {
  /** By address; the first address is the next in turn. */
  readonly #groups = new Map<string, WaitingSocket[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiting: WaitingSocket): void {
    this.#groupOf(waiting).push(waiting);
  }

  /** For a connection that was offered before: it is the next of its address. */
  addFirst(waiting: WaitingSocket): void {
    this.#groupOf(waiting).unshift(waiting);
  }

  /** The next connection; its address goes to the end of the turn. */
  take(): WaitingSocket | null {
    const [first] = this.#groups;
    if (first === undefined) return null;
    const [address, group] = first;
    const waiting = group.shift() as WaitingSocket;
    this.#groups.delete(address);
    if (group.length > 0) this.#groups.set(address, group);
    this.#size--;
    return waiting;
  }

  /** Removes the newest connection of the address with the most, if that has at least two more than `address`. */
  displaceFor(address: string): WaitingSocket | null {
    let longest: WaitingSocket[] = [];
    for (const group of this.#groups.values()) if (group.length > longest.length) longest = group;
    if (longest.length < (this.#groups.get(address)?.length ?? 0) + 2) return null;
    this.#size--;
    return longest.pop() ?? null;
  }

  /** Removes the connections accepted at `latest` or before. */
  takeUntil(latest: number): readonly WaitingSocket[] {
    const expired: WaitingSocket[] = [];
    for (const [address, group] of this.#groups) {
      while (group[0] !== undefined && group[0].since <= latest) expired.push(group.shift() as WaitingSocket);
      if (group.length === 0) this.#groups.delete(address);
    }
    this.#size -= expired.length;
    return expired;
  }

  #groupOf({ address }: WaitingSocket): WaitingSocket[] {
    this.#size++;
    const known = this.#groups.get(address);
    if (known !== undefined) return known;
    const group: WaitingSocket[] = [];
    this.#groups.set(address, group);
    return group;
  }
}
