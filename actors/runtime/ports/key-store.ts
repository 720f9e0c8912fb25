/**
 * The keys that seal stored values, one per hour, kept outside the database and outside every backup. A key is made on
 * first use in its hour, the same for all nodes, and destroyed 50 h after its hour began: with it goes everything sealed
 * under it, in every copy of the database. A value therefore opens for at least 49 h and at most 50 h.
 */
import type { KeyObject } from 'node:crypto';

/** The key of one hour. A KeyObject shows its bytes neither to a log nor to JSON. */
export interface SealingKey {
  /** Whole hours since the epoch. */
  readonly hour: number;
  /** 256 bits. */
  readonly secret: KeyObject;
}

export interface KeySweep {
  /** Keys destroyed by this sweep. */
  readonly destroyed: number;
  /** Keys that are kept. */
  readonly kept: number;
}

/** Nothing is remembered between calls: a key store out of reach seals and opens nothing. */
export interface KeyStore {
  /** The key of the present hour, made if this is its first use. Rejects with KeyStoreUnreachable. */
  current(): Promise<SealingKey>;
  /** The key of an earlier hour. Rejects with KeyDestroyed, even if its sweep is late, or KeyStoreUnreachable. */
  key(hour: number): Promise<SealingKey>;
  /** Destroys every key whose time is over. May run on any number of nodes at once. Rejects with KeyStoreUnreachable. */
  sweep(): Promise<KeySweep>;
  close(): Promise<void>;
}

/** The place of the keys did not answer. Nothing was sealed and nothing may be stored; a repeat may succeed. */
export class KeyStoreUnreachable extends Error {
  override readonly name = 'KeyStoreUnreachable';
}

/** The key is gone for good, and with it what was sealed under it. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
  readonly hour: number;
  constructor(hour: number) {
    super(`the sealing key of hour ${hour} is destroyed`);
    this.hour = hour;
  }
}

/** A key folder or database that must not be used as it is. The message is for the operator. */
export class UnfitKeyStore extends Error {
  override readonly name = 'UnfitKeyStore';
}
