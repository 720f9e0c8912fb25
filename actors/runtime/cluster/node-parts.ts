import type { Kind } from '../actor/kind.ts';
import type { EngineHost } from '../durable/engine.ts';
import type { ActivityHandler, Waits } from '../ports/activity.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { NodeLimits } from '../ports/limits.ts';
import type { Log } from '../ports/log.ts';
import type { RowExport } from '../ports/row-export.ts';
import type { Store } from '../ports/store.ts';
import type { Transport, TransportLimits } from '../ports/transport.ts';
import type { HostCall } from './cluster.ts';
import type { Resumption } from './shards/resumptions.ts';

/** Makes the transport of one node. */
export type TransportFactory = (parts: {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: TransportLimits;
  /** The cluster's secret. */
  readonly secret: string;
}) => Transport;

export interface NodeParts {
  readonly name: string;
  /** host:port to listen on for peers; port 0 takes a free one. */
  readonly grpcAddress: string;
  /** Called once, after the port is bound and before the node registers. */
  readonly operatorUrl: () => string;
  /** Host identity: nodes that share it may detect each other's deaths by their ports. */
  readonly host: string;
  readonly pid: number;
  readonly kinds: readonly Kind[];
  /** The handlers of the activities that kinds perform, by name. */
  readonly activities?: Readonly<Record<string, ActivityHandler>>;
  /**
   * How long running activities of a draining node may take to end, from the start of the drain; those that their
   * handler is patient with have its own grace.
   */
  readonly activityGraceMs: number;
  /** Stays open when the node leaves: its opener closes it. */
  readonly store: Store;
  /** Large byte values that rows refer to. The node sweeps them; the opener closes them. Absent: no sweep. */
  readonly blobs?: Blobs;
  /** Keeps expired rows before the node removes them. Absent: they are removed alone. */
  readonly rowExport?: RowExport;
  /** Sealing keys. The node destroys expired ones; the opener closes the store. Absent: none are destroyed. */
  readonly keys?: KeyStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: NodeLimits;
  readonly secret: string;
  readonly configDigest: string;
  readonly transport: TransportFactory;
  readonly log: Log;
  /** The bound gRPC address, before the node registers. */
  readonly onBound?: (grpcAddress: string) => void | Promise<void>;
  /** This node was declared dead and has dropped its state: exit, or start again as another incarnation. */
  readonly onDead: (why: string) => void;
  /**
   * Peers consider this node dead while the store is unreachable, so nothing it does now can be recorded. When the
   * store is back, the node reads the verdict and ends. May be called again.
   */
  readonly onIsolated?: () => void;
  /** The store judged a batch of entries, so long after the batch was handed to it. */
  readonly onCommitted?: (tookMs: number) => void;
  /** An actor of this node wrote a row that its collection declares as `reported`, and the commit is durable. */
  readonly onReported?: EngineHost['reported'];
  /** Actors of a dead node's shards went on here; again with more of them, for some seconds. */
  readonly onResumed?: (resumption: Resumption) => void;
  /** An event with a trace id arrived at its owner here; the returned function is called at its answer. */
  readonly traced?: EngineHost['traced'];
  /** Called every second while a drain waits for activities beyond `activityGraceMs`. */
  readonly onWaiting?: (waits: Waits) => void;
  /** What operators may ask the host of this node, by name; see `Operator.askHosts`. Both sides are plain data. */
  readonly hostCalls?: Readonly<Record<string, HostCall>>;
  /** An operator asked this node to drain. */
  readonly onDrain: () => void;
}
