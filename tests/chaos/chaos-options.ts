import type { StoreKind } from './chaos-store.ts';
import type { Frozen } from './nemesis.ts';

export interface ChaosOptions {
  readonly store: StoreKind;
  readonly kills: number;
  /** Nodes stopped (SIGSTOP) after that, and resumed up to 15 s later. */
  readonly stops: number;
  /** Nodes whose links are cut after that, in one or both directions in turn. */
  readonly cuts?: number;
  /** Points where stops are forced, in turn; null is a random moment. */
  readonly places?: readonly (Frozen | null)[];
  /** Crash points that are armed in turn; absent: all of them. */
  readonly points?: readonly string[];
  /** Number of store outages, clock steps and full disks, in this order, after all other faults. */
  readonly losses?: number;
  readonly clocks?: number;
  readonly fulls?: number;
  /** Number of times the folder of the sealing keys disappears, before the full disks. */
  readonly keyouts?: number;
  /** Keys change and payments arrive beside the requests. */
  readonly owners: boolean;
  /** Busy loops beside the run, so that its processes are short of processor time; absent: none. */
  readonly busy?: number;
  readonly seed: number;
  readonly inFlight: number;
  /** Pause of a client between two requests; absent: none. */
  readonly restMs?: number | undefined;
  /** Duration of load without faults before the first kill, after the last, and between two. */
  readonly calmMs: number;
  /** Keeps the data folder, the provider logs and the history, and prints their location. */
  readonly keep: boolean;
  readonly tell: (line: string) => void;
}
