/** Operator tasks on a database: migrate, back up, restore. */
import type { Clock, Random } from '../ports/clock.ts';
import { furthestBirth } from './boot-mark.ts';

export interface Maintenance {
  /** Name of the database in messages, without its password. */
  readonly database: string;
  /** Migrates to the schema of this build; returns the numbers of the applied steps. */
  migrate(): Promise<readonly number[]>;
  /**
   * Raises every epoch and birth by one random 32-bit jump, beyond every value given out after the copy was made, and
   * marks all its nodes dead. Refuses while a node writes heartbeats.
   */
  markRestored(): Promise<Restored>;
  /** A cluster-wide setting; null if it was never written, or if there is no database yet. */
  setting(name: string): Promise<string | null>;
  /** Replaces a setting. Refuses while a node writes heartbeats. */
  replaceSetting(name: string, value: string): Promise<void>;
  /** Backup and restore of a SQLite file; null for PostgreSQL, which has its own tools. */
  readonly file: FileMaintenance | null;
}

interface FileMaintenance {
  /** Copies everything committed so far while nodes run. Refuses to overwrite a file. */
  backup(to: string): Promise<void>;
  /**
   * Replaces the database by a copy and marks it as restored. Refuses to replace an existing database without `force`;
   * the replaced one is kept next to it under the returned name.
   */
  restore(from: string, force: boolean): Promise<Restored & { readonly kept: string | null }>;
}

export interface Restored {
  /** The amount by which epochs and births were raised. */
  readonly jump: number;
}

/** A maintenance request that cannot be fulfilled; the message is one line with the remedy. */
export class MaintenanceRefused extends Error {
  override readonly name = 'MaintenanceRefused';
}

export interface MaintenanceParts {
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** A node without a heartbeat for this long is not running. */
  readonly beatMs: number;
  /** Folder of the boot marks; see `boot-mark.ts`. */
  readonly marks: string;
}

const JUMP_MIN = 1_000_000;
const JUMP_SPAN = 2 ** 32 - JUMP_MIN;

/**
 * Exceeds every marked birth, including those after an earlier restore of the same copy. Adds a random amount because
 * other data folders can have marks as well.
 */
export async function jumpBy({ random, marks }: Pick<MaintenanceParts, 'random' | 'marks'>): Promise<number> {
  return (await furthestBirth(marks)) + JUMP_MIN + Math.floor(random.fraction() * JUMP_SPAN);
}

/** Compares the sum of living nodes' heartbeats before and after a pause: equal sums mean that no node is running. */
export async function requireStopped(
  beats: () => Promise<number>,
  parts: MaintenanceParts,
  database: string,
): Promise<void> {
  const before = await beats();
  await new Promise<void>((resolve) => void parts.clock.after(parts.beatMs, resolve));
  if ((await beats()) === before) return;
  throw new MaintenanceRefused(`nodes run on the database ${database}: stop the cluster first`);
}
