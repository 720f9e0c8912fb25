import type { NodeLimits } from '../../actors/runtime/node.ts';
import config from '../../cluster.config.ts';
import type { Dice } from './world/dice.ts';
import type { StoreTraits } from './world/store.ts';
import type { WireTraits } from './world/wire.ts';

export const FAULTS = [
  'kill',
  'power loss',
  'process crash',
  'pause',
  'long pause',
  'partition',
  'one-way cut',
  'clog',
  'broken link',
  'slow network',
  'store unreachable',
  'store unreachable for all',
  'bad store',
  'keys unreachable',
  'keys unreachable for all',
  'blobs unreachable',
  'clock step',
  'late hand-over',
  'drain',
] as const;

export type Fault = (typeof FAULTS)[number];

/** The parameters of one seed: size of the world, its bounds, and its faults. */
export interface Plan {
  readonly nodes: number;
  readonly oneHost: boolean;
  readonly clientsPerNode: number;
  /** Duration of the fault phase, virtual ms. */
  readonly unrestMs: number;
  readonly thinkMs: number;
  readonly faults: readonly Fault[];
  readonly faultEveryMs: number;
  readonly network: WireTraits;
  readonly keepAliveMs: number;
  readonly storeTraits: StoreTraits;
  readonly storeParts: number;
  readonly limits: NodeLimits;
  /** Whether the cluster is down for 50 hours after the run, so that every key is over. */
  readonly outlives: boolean;
  /** Store time at the start, ms since the epoch: shortly before midnight UTC. */
  readonly startsAt: number;
}

const MIDNIGHT = 1_763_769_600_000;
const FAULT_SHARE = 0.45;

/** Derives a plan from the seed. Faults come in swarms: some seeds inject few kinds of fault, but often. */
export function draw(dice: Dice): Plan {
  const unrestMs = dice.between(15_000, 30_000);
  const chosen = FAULTS.filter(() => dice.happens(FAULT_SHARE));
  return {
    nodes: dice.whole(3, 5),
    oneHost: dice.happens(0.5),
    clientsPerNode: dice.whole(2, 4),
    unrestMs,
    thinkMs: dice.pick([80, 300, 600]),
    faults: chosen.length > 0 ? chosen : ['kill'],
    faultEveryMs: dice.between(700, 4_000),
    network: { minMs: 0.05, maxMs: dice.pick([0.5, 2, 20]), spikes: dice.pick([0, 0, 0.02]) },
    keepAliveMs: dice.between(1_000, 12_000),
    storeTraits: {
      minMs: 0.1,
      maxMs: dice.pick([0.8, 8, 40]),
      slow: dice.pick([0, 0.005, 0.03]),
      refuses: dice.pick([0, 0, 0.01]),
      silent: dice.pick([0, 0.004, 0.02]),
      echoes: dice.pick([0, 0.05, 0.3]),
    },
    storeParts: dice.pick([1, 1, 3]),
    limits: limitsOf(dice),
    outlives: dice.happens(0.25),
    startsAt: MIDNIGHT - Math.floor(unrestMs * dice.between(0.2, 0.9)),
  };
}

/** The configured bounds, some low enough to be reached. */
function limitsOf(dice: Dice): NodeLimits {
  return {
    ...config.runtime,
    shards: 16,
    commitEntriesMax: dice.pick([1, 4, 1_024]),
    envelopesPerFrameMax: dice.pick([1, 8, 256]),
    asksInFlightMax: dice.pick([8, 16_384, 16_384]),
    laneStartMax: dice.pick([2, 1_024, 1_024]),
    timersAheadMs: dice.pick([2_000, 60_000]),
    sweepMs: 5_000,
  };
}
