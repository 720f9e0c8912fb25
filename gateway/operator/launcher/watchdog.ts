/**
 * Decides whether an unresponsive node must be killed, and when one that ended starts again. Pure. Silence is counted
 * in ticks of the launcher's own loop, each worth at most two ping intervals, so that a launcher that was itself stopped
 * or starved does not blame a node.
 */
import type { LauncherLimits } from '../../terms/config/config.ts';
import { EXIT_NOT_JOINED, EXIT_REJOIN } from './message.ts';

/** The measurements of one node, all in ms. */
export interface Vitals {
  /** Time for which a ping has been unanswered. */
  readonly silentMs: number;
  /** The part of it during which the kernel showed the process as stopped. */
  readonly stoppedMs: number;
  /** The longest time for which any node reports the store as busy. */
  readonly storeBusyMs: number;
}

export const QUIET: Vitals = { silentMs: 0, stoppedMs: 0, storeBusyMs: 0 };

/** Why the node must be killed now; null if it need not be. */
export function verdictOn(vitals: Vitals, limits: LauncherLimits): string | null {
  const { silentMs, stoppedMs, storeBusyMs } = vitals;
  if (stoppedMs >= limits.stoppedKillMs) return `stopped for ${Math.round(stoppedMs)} ms`;
  if (silentMs >= limits.silentKillMs) return `silent for ${Math.round(silentMs)} ms`;
  if (storeBusyMs >= limits.storeBusyKillMs && silentMs >= limits.silentMs) {
    return `silent for ${Math.round(silentMs)} ms while the store was busy for ${Math.round(storeBusyMs)} ms`;
  }
  return null;
}

/**
 * A node that starts cannot answer while it loads its code, so only the time for which it is stopped counts. It may hold
 * the lock of the store already.
 */
export function startingVitals(vitals: Vitals): Vitals {
  return { ...vitals, silentMs: vitals.stoppedMs };
}

/** True if the node's own event loop is silent: the process is not stopped, and the store is not the cause. */
export function isSilentLoop({ silentMs, stoppedMs }: Vitals, limits: LauncherLimits): boolean {
  return stoppedMs === 0 && silentMs >= limits.silentKillMs;
}

/** The vitals after one more tick. */
export function tickVitals(
  before: Vitals,
  tick: {
    /** Monotonic ms since the tick before. */
    readonly elapsedMs: number;
    readonly pingEveryMs: number;
    /** A ping of an earlier tick is unanswered. */
    readonly unanswered: boolean;
    readonly stopped: boolean;
    readonly storeBusyMs: number;
  },
): Vitals {
  if (!tick.unanswered) return { silentMs: 0, stoppedMs: 0, storeBusyMs: tick.storeBusyMs };
  const counted = Math.min(tick.elapsedMs, 2 * tick.pingEveryMs);
  return {
    silentMs: before.silentMs + counted,
    stoppedMs: tick.stopped ? before.stoppedMs + counted : 0,
    storeBusyMs: tick.storeBusyMs,
  };
}

/** Delay before the next start of a process: doubles with each life that ended early. */
export function restartDelay(failures: number, limits: LauncherLimits): number {
  if (failures <= 0) return 0;
  return Math.min(limits.restartDelayMaxMs, limits.restartDelayMs * 2 ** Math.min(failures - 1, 30));
}

/** How a life ended, as far as the next start depends on it. */
export interface LifeEnd {
  readonly code: number | null;
  readonly livedMs: number;
  /** It served. */
  readonly wasUp: boolean;
}

/** A try to join delays the next one by at most this long. */
const TRIED_MS_MAX = 60_000;

/**
 * The delay before a node's next start, and how many lives in a row ended early by then, each of which doubles it. A
 * life that served for longer than the longest delay ends the row. A node that asks to rejoin starts again at once and
 * has not failed, a drained one starts after the shortest delay. One that did not join waits for as long as it tried: on
 * a machine that is short of processor time, tries then take it from the others half of the time at most.
 */
export function restartAfter(
  { code, livedMs, wasUp }: LifeEnd,
  failuresBefore: number,
  limits: LauncherLimits,
): { readonly delayMs: number; readonly failures: number } {
  const failures = wasUp && livedMs > limits.restartDelayMaxMs ? 0 : failuresBefore;
  if (code === EXIT_REJOIN) return { delayMs: 0, failures };
  if (code === 0 && wasUp) return { delayMs: limits.restartDelayMs, failures };
  const triedMs = code === EXIT_NOT_JOINED ? Math.min(livedMs, TRIED_MS_MAX) : 0;
  return { delayMs: Math.max(restartDelay(failures + 1, limits), triedMs), failures: failures + 1 };
}
