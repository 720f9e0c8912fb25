import type { Kind } from '../actor/kind.ts';
import type { EngineLimits } from '../durable/engine/engine-limits.ts';
import type { ActivityHandler } from '../ports/activity.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../ports/store.ts';
import type { SideService, Transport, TransportLimits } from '../ports/transport.ts';
import type { ClusterLimits } from './limits.ts';
import type { Log } from './log.ts';

export type NodeLimits = ClusterLimits & EngineLimits;

/** Makes the transport of one node; a transport without a server for further services ignores them. */
export type TransportFactory = (parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: TransportLimits;
  readonly services: readonly SideService[];
}) => Transport;

export interface NodeParts {
  readonly name: string;
  /** host:port to listen on for peers and operators; port 0 takes a free one. */
  readonly grpcAddress: string;
  /** Asked once, after the port is bound and before the node registers. */
  readonly operatorUrl: () => string;
  /** Host identity: nodes that share it may judge each other by their ports. */
  readonly host: string;
  readonly pid: number;
  readonly kinds: readonly Kind[];
  /** Who does the work in the world that kinds ask for, by name. */
  readonly activities?: Readonly<Record<string, ActivityHandler>>;
  /** How long running activities of a node that drains may take to end, from the drain's beginning. */
  readonly activityGraceMs: number;
  /** Stays open when the node leaves: its opener closes it. */
  readonly store: Store;
  /** Large bytes that rows refer to; swept here, closed by their opener. Absent: this node sweeps none. */
  readonly blobs?: Blobs;
  /** Sealing keys; destroyed here when their time is over, closed by their opener. Absent: this node destroys none. */
  readonly keys?: KeyStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: NodeLimits;
  readonly secret: string;
  readonly operatorToken: string;
  readonly configDigest: string;
  readonly transport: TransportFactory;
  readonly log: Log;
  /** The bound gRPC address, before the node registers. */
  readonly onBound?: (grpcAddress: string) => void | Promise<void>;
  /** This node was declared dead: everything is dropped already; exit, or start anew as another incarnation. */
  readonly onDead: (why: string) => void;
  /**
   * Peers hold this node for dead while its store is out of reach: nothing it does now can be recorded. It learns for
   * certain, and ends, when the store is back. May be said again.
   */
  readonly onIsolated?: () => void;
  /** An operator asked this node to drain. */
  readonly onDrain: () => void;
}
