import type { Logger } from 'pino';
import type { Clock, Random } from '../../actors/runtime/index.ts';
import type { NodeParts } from '../../actors/runtime/node.ts';
import type { Flights } from '../inflight/flights.ts';
import type { OperatorRoute } from '../operator/http/operator-route.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Overload } from '../overload/overload.ts';
import type { ClusterConfig, NodeConfig } from '../terms/config/config.ts';
import type { Measures } from '../terms/measures.ts';
import type { Tracing } from '../terms/tracing.ts';

export interface NodeOptions {
  readonly config: ClusterConfig;
  /** The name of this node in the configuration. */
  readonly name: string;
  /** Provider keys, by the variables the providers name; `TROUPE_CRASHPOINT`, `TROUPE_LINK_ROUTES`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports?: NodePorts;
  /** Called when the drain begins, whatever caused it: accept no further connections. */
  readonly onDraining?: () => void;
  /** Called every second with what the drain waits for beyond the usual graces, as a sentence without its subject. */
  readonly onWaiting?: (what: string) => void;
}

/** Replacements for the real clock, random source and process exit, for tests and for nodes that share a process. */
export interface NodePorts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logLevel?: 'info' | 'warn' | 'error' | 'silent';
  /** Ends the process. With it the node handles no signals either. */
  readonly exit?: (code: number) => void;
  /** Kinds and their activities in addition to the product's own. The HTTP client exists once the node serves. */
  readonly kinds?: NodeParts['kinds'];
  /** Routes of the operator port in addition to the product's own. */
  readonly operatorRoutes?: readonly OperatorRoute[];
  readonly activities?: (outbound: () => Outbound) => NonNullable<NodeParts['activities']>;
}

/** Shared dependencies of all parts of one node. */
export interface NodeContext {
  readonly options: NodeOptions;
  readonly self: NodeConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Asked before work begins: requests by the edge, lines of batches by the jobs. */
  readonly overload: Overload;
  readonly measures: Measures;
  /** What this node works on, for operators. */
  readonly flights: Flights;
  /** Time that the event loop of this process has worked so far, ms. */
  readonly loopBusyMs: () => number;
  /** Null: requests are not traced. */
  readonly tracing: Tracing | null;
}
