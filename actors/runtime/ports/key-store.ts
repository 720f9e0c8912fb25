/**
 * The keys that seal stored values, one per hour, kept outside the database and outside every backup. A key is created
 * on first use in its hour, is the same for all nodes, and is destroyed 50 h after its hour began; everything sealed
 * under it is then unreadable in every copy of the database. A value therefore opens for at least 49 h and at most 50
 * h.
 */
import type { KeyObject } from 'node:crypto';

/** The key of one hour. A KeyObject reveals its bytes neither in logs nor in JSON. */
export interface SealingKey {
  /** Whole hours since the epoch. */
  readonly hour: number;
  /** 256 bits. */
  readonly secret: KeyObject;
}

export interface KeySweep {
  /** Keys destroyed by this sweep. */
  readonly destroyed: number;
  /** Keys that remain. */
  readonly kept: number;
}

/** Calls share no cache: while the key store is unreachable nothing can be sealed or opened. */
export interface KeyStore {
  /** The key of the current hour, created on first use. Rejects with KeyStoreUnreachable. */
  current(): Promise<SealingKey>;
  /**
   * The key of an earlier hour. Rejects with KeyDestroyed once its time is over, even before the sweep, or with
   * KeyStoreUnreachable.
   */
  key(hour: number): Promise<SealingKey>;
  /**
   * Destroys every key whose time is over. Safe to run on any number of nodes at once. Rejects with
   * KeyStoreUnreachable.
   */
  sweep(): Promise<KeySweep>;
  close(): Promise<void>;
}

/** The key store did not answer. Nothing was sealed and nothing may be stored; a repeat may succeed. */
export class KeyStoreUnreachable extends Error {
  override readonly name = 'KeyStoreUnreachable';
}

/** The key was destroyed for good; values sealed under it cannot be opened. */
export class KeyDestroyed extends Error {
  override readonly name = 'KeyDestroyed';
  readonly hour: number;
  constructor(hour: number) {
    super(`the sealing key of hour ${hour} is destroyed`);
    this.hour = hour;
  }
}

/** A key folder or database that must not be used in its present condition. The message is for the operator. */
export class UnfitKeyStore extends Error {
  override readonly name = 'UnfitKeyStore';
}

const HOUR_MS = 3_600_000;
const LIFE_HOURS = 50;

/** The hours of sealing keys (rule B46, rule B49). */
export const keyHour = {
  ms: HOUR_MS,
  at: (now: number): number => Math.floor(now / HOUR_MS),
  /** A key is over exactly 50 h after its hour began. */
  isOver: (hour: number, now: number): boolean => now >= (hour + LIFE_HOURS) * HOUR_MS,
  /** The latest hour whose key is over. */
  lastOver: (now: number): number => Math.floor(now / HOUR_MS) - LIFE_HOURS,
};
