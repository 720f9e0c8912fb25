import type { Kind } from '../actor/kind.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Store } from '../ports/store.ts';
import { blobSweep } from './blob-sweep.ts';
import { isSweeper } from './is-sweeper.ts';
import { keySweep } from './key-sweep.ts';
import type { ClusterLimits } from './limits.ts';
import type { Log } from './log.ts';
import type { Member } from './member.ts';
import type { PeriodicTask } from './periodic-task.ts';
import { rowSweep } from './row-sweep.ts';

export interface PeriodicTasksParts {
  readonly self: string;
  readonly member: Member;
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly blobs?: Blobs;
  readonly keys?: KeyStore;
  readonly clock: Clock;
  readonly limits: ClusterLimits;
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
