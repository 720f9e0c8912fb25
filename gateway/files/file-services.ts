import type { ByteAccess, Clock, Cluster, Random, SealPlace } from '../../actors/runtime/index.ts';
import type { Background } from '../overload/background.ts';
import { FairRoom } from '../overload/fair-room.ts';
import type { FileLimits } from '../terms/config/config.ts';
import { unavailable } from '../terms/gateway-error.ts';

/** What stored files need from their node. */
export interface FileServices {
  readonly cluster: Cluster;
  readonly bytes: ByteAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: FileLimits;
  /** Runs what no live client waits for. */
  readonly background: Background;
  /** Longest wait for an actor's answer, ms. */
  readonly askMs: number;
}

/** A stored file's bytes open only as this file of this account. (rule B48) */
export function placeOfFile(account: string, id: string): SealPlace {
  return { owner: account, object: id, kind: 'file' };
}

/** Longest wait for room. */
const WAIT_MS = 10_000;

/** Bounds the bytes of stored files that the requests of one node hold at once, in all and of one account. */
export class FileRoom {
  readonly #room: FairRoom;
  readonly #clock: Clock;

  /** `bytesMax` is at least twice the bytes of one request. */
  constructor(bytesMax: number, clock: Clock) {
    this.#room = new FairRoom(bytesMax);
    this.#clock = clock;
  }

  /** Resolves with the function that gives the room back. Rejects with GatewayError 503 after a wait without room. */
  async take(account: string, bytes: number): Promise<() => void> {
    const release = await this.#room.takeWithin(account, bytes, { clock: this.#clock, waitMs: WAIT_MS });
    if (release === null) throw unavailable('too many bytes of stored files are under way on this node');
    return release;
  }
}
