import { isAlive, type Member } from '../membership/member.ts';
import type { Ownership } from './ownership.ts';

interface ReadinessParts {
  readonly self: string;
  readonly member: Member;
  readonly ownership: Ownership;
  /** Called once. */
  readonly becameReady: () => void;
}

/**
 * Decides when this node is ready: once it has exchanged its board with every member and every shard has an owner.
 * It stays ready from then on, since a later takeover is no reason to refuse requests. It also records which peers have
 * announced readiness.
 */
export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #synced = new Set<string>();
  readonly #readyPeers = new Set<string>();
  #ready = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  get ready(): boolean {
    return this.#ready;
  }

  isPeerReady(incarnation: string): boolean {
    return this.#readyPeers.has(incarnation);
  }

  peerIsReady(incarnation: string): void {
    this.#readyPeers.add(incarnation);
  }

  /** The peer has sent every value that this node's board lacked. */
  synced(incarnation: string): void {
    this.#synced.add(incarnation);
    this.check();
  }

  forget(incarnation: string): void {
    this.#synced.delete(incarnation);
    this.#readyPeers.delete(incarnation);
  }

  /** Checks the conditions again. */
  check(): void {
    const { member, ownership, self, becameReady } = this.#parts;
    if (this.#ready) return;
    // A node that joins owns no shard and has nothing that this node's board lacks.
    const members = member.view.nodes.filter((row) => isAlive(row) && row.state !== 'joining');
    const peers = members.filter((row) => row.incarnation !== self);
    if (!peers.every((row) => this.#synced.has(row.incarnation)) || !ownership.complete) return;
    this.#ready = true;
    becameReady();
  }
}
