/**
 * The KeyStore port in memory, for the simulation and the contract. Several nodes share one instance through
 * `connect()`; each connection can lose the store, and all of them at once. Never fails by itself.
 */
import { createSecretKey } from 'node:crypto';
import type { Clock, Random } from '../../actors/runtime/ports/clock.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type KeySweep,
  keyHour,
  type SealingKey,
} from '../../actors/runtime/ports/key-store.ts';

interface MemoryKeyStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** The keys themselves, which all connections share. */
interface Place {
  readonly secrets: Map<number, Uint8Array>;
  down: boolean;
}

const KEY_BYTES = 32;

export class MemoryKeyStore implements KeyStore {
  /** If true, every call of this connection is refused as unreachable. */
  cut = false;
  readonly #options: MemoryKeyStoreOptions;
  readonly #place: Place;

  constructor(options: MemoryKeyStoreOptions, place: Place = { secrets: new Map(), down: false }) {
    this.#options = options;
    this.#place = place;
  }

  /** If true, every call of every connection is refused as unreachable, whatever the connection's own `cut`. */
  get down(): boolean {
    return this.#place.down;
  }

  set down(down: boolean) {
    this.#place.down = down;
  }

  /** Another node's connection to the same keys, with a clock of its own if one is given. */
  connect(options: MemoryKeyStoreOptions = this.#options): MemoryKeyStore {
    return new MemoryKeyStore(options, this.#place);
  }

  /** The hours of all keys. */
  get hours(): readonly number[] {
    return [...this.#place.secrets.keys()];
  }

  /** All keys, as raw bytes. */
  contents(): Buffer {
    return Buffer.concat([...this.#place.secrets.values()]);
  }

  /** Destroys all keys before their time, or that of one hour. */
  lose(hour?: number): void {
    if (hour === undefined) this.#place.secrets.clear();
    else this.#place.secrets.delete(hour);
  }

  async current(): Promise<SealingKey> {
    this.#reach();
    const hour = keyHour.at(this.#options.clock.now());
    const found = this.#place.secrets.get(hour) ?? this.#options.random.bytes(KEY_BYTES);
    this.#place.secrets.set(hour, found);
    return { hour, secret: createSecretKey(found) };
  }

  async key(hour: number): Promise<SealingKey> {
    if (keyHour.isOver(hour, this.#options.clock.now())) throw new KeyDestroyed(hour);
    this.#reach();
    const found = this.#place.secrets.get(hour);
    if (!found) throw new KeyDestroyed(hour);
    return { hour, secret: createSecretKey(found) };
  }

  async sweep(): Promise<KeySweep> {
    this.#reach();
    const over = [...this.#place.secrets.keys()].filter((hour) => keyHour.isOver(hour, this.#options.clock.now()));
    for (const hour of over) {
      this.#place.secrets.get(hour)?.fill(0);
      this.#place.secrets.delete(hour);
    }
    return { destroyed: over.length, kept: this.#place.secrets.size };
  }

  async close(): Promise<void> {}

  #reach(): void {
    if (this.cut || this.down) throw new KeyStoreUnreachable('the keys are out of reach');
  }
}
