/** What an operator does to a database beside its nodes: migrate it, copy it, put a copy back. */
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { furthestBirth } from './boot-mark.ts';

export interface Maintenance {
  /** Names the database in messages, without its password. */
  readonly database: string;
  /** Brings it to the schema of this build; answers the numbers of the steps applied now. */
  migrate(): Promise<readonly number[]>;
  /**
   * Raises every epoch and birth beyond anything that was given out after the database was copied, by one
   * random 32-bit jump, and ends every node it knows. Refuses while a node's heart beats in it.
   */
  markRestored(): Promise<Restored>;
  /** Copying and putting back, where the store is a file of ours; null where its own tools do it. */
  readonly file: FileMaintenance | null;
}

export interface FileMaintenance {
  /** A whole copy of what is committed now, while nodes run. Refuses an existing file. */
  backup(to: string): Promise<void>;
  /**
   * Puts a copy in the place of the database and marks it. Refuses over an existing database unless `force`; that one is
   * kept beside it, under the name answered.
   */
  restore(from: string, force: boolean): Promise<Restored & { readonly kept: string | null }>;
}

export interface Restored {
  /** How far epochs and births were raised. */
  readonly jump: number;
}

/** A request of the operator that cannot be met; the message is one line and says what to do. */
export class MaintenanceRefused extends Error {
  override readonly name = 'UpkeepRefused';
}

export interface MaintenanceParts {
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** A heart that did not beat for this long does not beat. */
  readonly beatMs: number;
  /** Folder of the nodes' marks; see `boot-mark.ts`. */
  readonly marks: string;
}

const JUMP_MIN = 1_000_000;
const JUMP_SPAN = 2 ** 32 - JUMP_MIN;

/**
 * Beyond every birth that was marked, also since an earlier restoring of the same copy, and further by chance, because
 * the marks are of this data folder alone.
 */
export async function jumpBy({ random, marks }: Pick<MaintenanceParts, 'random' | 'marks'>): Promise<number> {
  return (await furthestBirth(marks)) + JUMP_MIN + Math.floor(random.fraction() * JUMP_SPAN);
}

/** Sums of the heartbeats of living nodes, before and after a while: equal when none of them lives any more. */
export async function requireStill(
  beats: () => Promise<number>,
  parts: MaintenanceParts,
  database: string,
): Promise<void> {
  const before = await beats();
  await new Promise<void>((resolve) => void parts.clock.after(parts.beatMs, resolve));
  if ((await beats()) === before) return;
  throw new MaintenanceRefused(`nodes run on the database ${database}: stop the cluster first`);
}
