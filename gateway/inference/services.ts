import type { Clock, Cluster, Random } from '../../actors/runtime/index.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { Affinity } from '../routing/affinity.ts';
import type { ClusterConfig } from '../terms/config.ts';
import { BackgroundWork } from './background-work.ts';
import { Outcomes } from './outcomes.ts';
import { Targets } from './targets.ts';

export type CrashPoint = 'hold.committed' | 'upstream.sent' | 'upstream.firstbyte' | 'settle.committed';

export interface LogRecord {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [member: string]: unknown;
}

/** What inference needs from the node it runs in. */
export interface InferenceParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: ClusterConfig;
  readonly outbound: Outbound;
  /** Provider slug to its API key. Never logged. */
  readonly keys: ReadonlyMap<string, string>;
  readonly crashpoint: (name: CrashPoint) => void;
  /** True while the store has room for what is under way only: nothing new may be held. */
  readonly storeFull: () => boolean;
  readonly log: (record: LogRecord) => void;
}

/** The parts, and what one node's inference keeps between requests. */
export interface InferenceServices extends Omit<InferenceParts, 'keys'> {
  readonly targets: Targets;
  readonly affinity: Affinity;
  readonly outcomes: Outcomes;
  readonly pending: BackgroundWork;
}

export function openInference({ keys, ...parts }: InferenceParts): InferenceServices {
  return {
    ...parts,
    targets: new Targets(keys),
    affinity: new Affinity(),
    outcomes: new Outcomes(parts.cluster, parts.clock),
    pending: new BackgroundWork(),
  };
}

/** For the end of a node: waits until every hold of this node is settled or released, then tells the last outcomes. */
export async function drainInference(services: InferenceServices): Promise<void> {
  await services.pending.idle();
  services.outcomes.flush();
}
