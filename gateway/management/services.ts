import type { Cluster, Random } from '../../actors/runtime/index.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import type { ClusterConfig } from '../terms/config/config.ts';

/** What the functions of this folder need of the process that calls them: a node, or a command of `troupe`. */
export interface ManagementServices {
  /** A command has only `ask`, `rows` and `now` of it. */
  readonly cluster: Cluster;
  readonly random: Random;
  /** Secret mixed into the digest of every key. */
  readonly pepper: Uint8Array;
  /** Longest wait for an actor's answer, including a takeover, ms. */
  readonly askMs: number;
  readonly config: Pick<ClusterConfig, 'workspace' | 'rates' | 'signIn'>;
}

/** The account that is managed, and the principal under which its audit log records every change. */
export interface Tenant {
  /** Account id, without the kind. */
  readonly account: string;
  readonly by: Principal;
}
