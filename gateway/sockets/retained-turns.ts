import type { PastTurn } from '../dialects/responses/continued-turn.ts';

/** Of all sockets of one node. */
const TURNS_MAX = 1_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** What a value of an item weighs besides its text. */
const VALUE_BYTES = 32;

interface Retained {
  readonly turn: PastTurn;
  readonly bytes: number;
}

/**
 * The last turn of each WebSocket of this node, for the next turn that continues it. In memory alone, and bounded in
 * number and bytes: a new turn evicts the oldest one. The client of an evicted turn receives
 * `previous_response_not_found` and sends the whole conversation.
 */
export class RetainedTurns {
  readonly #turnsMax: number;
  readonly #bytesMax: number;
  /** By the owner's socket; the turn that was kept first is first. */
  readonly #bySocket = new Map<object, Retained>();
  #bytes = 0;

  constructor({ turnsMax = TURNS_MAX, bytesMax = BYTES_MAX } = {}) {
    this.#turnsMax = turnsMax;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  of(socket: object): PastTurn | null {
    return this.#bySocket.get(socket)?.turn ?? null;
  }

  /** Replaces the turn of a socket. `bytes`: those of its items, by `bytesOf`. */
  keep(socket: object, turn: PastTurn, bytes: number): void {
    this.drop(socket);
    if (bytes > this.#bytesMax) return;
    this.#bySocket.set(socket, { turn, bytes });
    this.#bytes += bytes;
    for (const first of this.#bySocket.keys()) {
      if (this.#bytes <= this.#bytesMax && this.#bySocket.size <= this.#turnsMax) return;
      this.drop(first);
    }
  }

  drop(socket: object): void {
    this.#bytes -= this.#bySocket.get(socket)?.bytes ?? 0;
    this.#bySocket.delete(socket);
  }
}

/** Bytes of the texts in a JSON value, and of its values. Infinity, early, above `bytesMax`. */
export function bytesOf(value: unknown, bytesMax: number): number {
  let bytes = VALUE_BYTES;
  if (typeof value === 'string') bytes += Buffer.byteLength(value);
  else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      if (!Array.isArray(value)) bytes += Buffer.byteLength(name);
      bytes += bytesOf((value as Record<string, unknown>)[name], bytesMax - bytes);
      if (bytes > bytesMax) return Number.POSITIVE_INFINITY;
    }
  }
  return bytes > bytesMax ? Number.POSITIVE_INFINITY : bytes;
}
