import type { ByteAccess, Clock, Cluster, Random } from '../../actors/runtime/index.ts';
import type { Background } from '../overload/background.ts';
import type { FileLimits } from '../terms/config.ts';

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
