import type { Clock, Cluster, Random } from '../../actors/runtime/index.ts';
import type { InferenceServices } from '../inference/services.ts';
import type { EdgeLimits, RateLimits } from '../terms/config.ts';

/** Everything the edge of a node is built from. It reads no environment and owns no actor. */
export interface EdgeServices {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: EdgeLimits;
  readonly rates: RateLimits;
  /** Longest wait for one actor's answer, through a takeover, ms. */
  readonly askMs: number;
  /** Mixed into the digest of every key. */
  readonly pepper: Uint8Array;
  readonly inference: InferenceServices;
  /** True while requests may be served: the node is ready, and in contact with its store. */
  readonly serving: () => boolean;
  readonly log: EdgeLog;
  /** How many nodes the configuration has. */
  readonly nodes: number;
  /** A named moment at which a test may kill the process; null where none is armed. */
  readonly crashPoint: ((name: 'reply.sent') => void) | null;
}

/** Records with the generation id, never with a key, a prompt or a secret. */
export interface EdgeLog {
  warn(record: Readonly<Record<string, unknown>>, message: string): void;
  error(record: Readonly<Record<string, unknown>>, message: string): void;
}
