import type { Kind } from '../actor/kind.ts';
import { keyHour } from '../bytes/key-hour.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { NodeLimits } from '../ports/limits.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import { blobSweep } from './blob-sweep.ts';
import type { Member } from './member.ts';
import { PeriodicTask } from './periodic-task.ts';
import { preferred } from './rendezvous.ts';

const SWEEPER_SHARD = 0;
/** Bound on the sweeps of one round; a longer backlog is spread over several rounds. */
const SWEEPS_PER_ROUND_MAX = 20;

export interface PeriodicTasksParts {
  readonly self: string;
  readonly member: Member;
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly blobs?: Blobs;
  readonly keys?: KeyStore;
  readonly clock: Clock;
  readonly limits: NodeLimits;
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/** The periodic tasks of a node: a sweep for each store it was given. */
export function periodicTasks({ self, member, blobs, keys, ...parts }: PeriodicTasksParts): readonly PeriodicTask[] {
  const isMine = (): boolean => isSweeper(self, member);
  return [
    rowSweep({ ...parts, isMine }),
    ...(blobs ? [blobSweep({ ...parts, isMine, blobs })] : []),
    ...(keys ? [keySweep({ ...parts, keys })] : []),
  ];
}

/** True on one node of the cluster: the one shard 0 prefers among those that stay. False without fresh contact. */
export function isSweeper(self: string, member: Member): boolean {
  const { nodes, live } = member.view;
  const staying = nodes.filter((row) => row.state === 'up' && live.has(row.incarnation));
  return preferred(SWEEPER_SHARD, staying)?.incarnation === self && member.fresh;
}

export interface RowSweepParts {
  /** Only one node of the cluster sweeps. */
  readonly isMine: () => boolean;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number; readonly sweepRowsMax: number };
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/** Removes expired rows periodically. */
function rowSweep({ isMine, store, clock, limits, log, now }: RowSweepParts): PeriodicTask {
  return new PeriodicTask({
    ...{ name: 'row sweep', clock, log },
    everyMs: () => limits.sweepMs,
    run: async (stopped) => {
      if (!isMine()) return;
      for (let sweep = 0; sweep < SWEEPS_PER_ROUND_MAX && !stopped(); sweep++) {
        if ((await store.sweepRows(now(), limits.sweepRowsMax)) < limits.sweepRowsMax) return;
      }
    },
  });
}

export interface KeySweepParts {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number };
  readonly log: Log;
}

/**
 * Destroys expired sealing keys. Keys expire at the turn of an hour: the task runs then, and in between to retry
 * failures and to catch up after the clock was set. Every node runs it, because destruction must not wait for an
 * election, and destroying a key twice is harmless.
 */
export function keySweep({ keys, clock, limits, log }: KeySweepParts): PeriodicTask {
  return new PeriodicTask({
    ...{ name: 'key sweep', clock, log },
    everyMs: () => Math.min(limits.sweepMs, keyHour.ms - (clock.now() % keyHour.ms)),
    run: async () => {
      const { destroyed, kept } = await keys.sweep();
      if (destroyed > 0) log({ level: 'info', message: 'sealing keys destroyed', destroyed, kept });
    },
  });
}
