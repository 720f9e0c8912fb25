import type { Clock } from '../../actors/runtime/index.ts';
import type { FileRoom, FileServices } from '../files/file-services.ts';
import type { Flights } from '../inflight/flights.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { FairRoom } from '../overload/fair-room.ts';
import type { StreamShares } from '../overload/stream-shares.ts';
import type { Workspaces } from '../routing/workspaces.ts';
import type { ClusterConfig } from '../terms/config/config.ts';
import type { LogRecord } from '../terms/log-record.ts';
import type { Measures } from '../terms/measures.ts';
import type { ProviderKeys } from '../terms/provider-declaration.ts';
import { TurnFiles } from './attach-files.ts';
import { CallEvidence } from './call-evidence.ts';
import { Holds } from './holds.ts';
import { Planner } from './planner.ts';
import { ProviderCalls, type Targets } from './provider-calls.ts';
import { KeyAlarms } from './reports/key-alarms.ts';
import type { Outcomes } from './reports/outcomes.ts';
import { RefusalRecorder } from './reports/refusal-recorder.ts';

/** Of a node, what its inference is made of. */
interface InferenceParts {
  readonly config: Pick<ClusterConfig, 'rates' | 'upstream'>;
  readonly outbound: Outbound;
  readonly targets: Targets;
  readonly outcomes: Outcomes;
  readonly workspaces: Pick<Workspaces, 'routingOf'>;
  /** With the cluster, the clock and the chance of the node. */
  readonly files: FileServices;
  readonly fileRoom: FileRoom;
  /** Provider slug to its API key. Never logged. */
  readonly keys: ProviderKeys;
  readonly storeFull: () => boolean;
  readonly measures: Measures;
  readonly streamShares: StreamShares;
  readonly flights: Flights;
  readonly log: (record: LogRecord) => void;
}

/** Inference on one node: what each step of a turn goes by, and the state that it keeps between turns. */
export interface Inference {
  readonly clock: Clock;
  readonly files: TurnFiles;
  readonly planner: Planner;
  readonly holds: Holds;
  readonly calls: ProviderCalls;
  readonly evidence: CallEvidence;
  readonly flights: Flights;
}

export function openInference(parts: InferenceParts): Inference {
  const { files, workspaces, config, outbound, targets, streamShares, keys, measures, log } = parts;
  const { cluster, clock, random } = files;
  const limits = config.upstream;
  return {
    clock,
    flights: parts.flights,
    files: new TurnFiles(files, parts.fileRoom),
    planner: new Planner({ cluster, clock, random, workspaces }),
    holds: new Holds({
      cluster,
      clock,
      limits,
      keyPerMinute: config.rates.keyPerMinute,
      storeFull: parts.storeFull,
      measures,
      log,
    }),
    calls: new ProviderCalls({
      clock,
      limits,
      outbound,
      targets,
      replyRoom: new FairRoom(limits.repliesBytesMax),
      streamShares,
      refusals: new RefusalRecorder(cluster, keys),
    }),
    evidence: new CallEvidence({
      now: () => cluster.now(),
      outcomes: parts.outcomes,
      keyAlarms: new KeyAlarms({ cluster, clock, log }),
      measures,
      log,
    }),
  };
}
