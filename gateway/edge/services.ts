import type { RunningRefresh } from '../../actors/provider/refreshes.ts';
import type { Clock, Cluster, Random } from '../../actors/runtime/index.ts';
import type { FileServices } from '../files/file-services.ts';
import type { InferenceServices } from '../inference/services.ts';
import type { Overload } from '../overload/overload.ts';
import type { ClusterConfig, EdgeLimits, EventLimits, RateLimits } from '../terms/config.ts';
import type { Measures } from '../terms/measures.ts';
import type { RequestLine } from '../terms/request-line.ts';
import type { ServingState } from '../terms/serving-state.ts';
import type { Tracing } from '../terms/tracing.ts';

/** Everything that the edge of a node is built from. It does not read the environment and owns no actor. */
export interface EdgeServices {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: EdgeLimits;
  readonly rates: RateLimits;
  readonly events: EventLimits;
  readonly config: ClusterConfig;
  /** Longest wait for an actor's answer, including a takeover, ms. */
  readonly askMs: number;
  /** Secret mixed into the digest of every key. */
  readonly pepper: Uint8Array;
  /** Begins to read a provider's models document; null for an unknown slug. */
  readonly refreshModels: (slug: string) => Promise<RunningRefresh | null>;
  readonly inference: InferenceServices;
  readonly files: FileServices;
  readonly overload: Overload;
  readonly measures: Measures;
  /** Null: requests are not traced. */
  readonly tracing: Tracing | null;
  readonly readiness: () => ServingState;
  readonly log: EdgeLog;
  /** Writes one line of the request log. */
  readonly requestLog: (line: RequestLine) => void;
  /** Number of nodes in the configuration. */
  readonly nodes: number;
  /** A named crash point at which a test can kill the process; null if none is armed. */
  readonly crashPoint: ((name: 'reply.sent') => void) | null;
}

/** Log records carry the generation id, never a key, a prompt or a secret. */
export interface EdgeLog {
  warn(record: Readonly<Record<string, unknown>>, message: string): void;
  error(record: Readonly<Record<string, unknown>>, message: string): void;
}
