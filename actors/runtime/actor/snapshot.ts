import type { AnyMachineSnapshot } from 'xstate';

/** A chart's state in memory: XState's own object, never started, never mutated. */
export type Snapshot = AnyMachineSnapshot;
