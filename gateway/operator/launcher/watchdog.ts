/**
 * Decides whether a silent node must be killed. Pure. Silence is counted in ticks of the launcher's own loop, each worth
 * at most two ping intervals, so that a launcher that was itself stopped, or starved, blames nobody for it.
 */
import type { LauncherLimits } from '../../terms/config.ts';

/** What is known of one node. All ms. */
export interface Vitals {
  /** Time a ping has been waiting for its answer. */
  readonly silentMs: number;
  /** Part of it during which the kernel showed the process as stopped. */
  readonly stoppedMs: number;
  /** The longest time any node reports the store busy. */
  readonly storeBusyMs: number;
}

export const QUIET: Vitals = { silentMs: 0, stoppedMs: 0, storeBusyMs: 0 };

/** Why the node must be killed now; null when it may live. */
export function verdictOn(vitals: Vitals, limits: LauncherLimits): string | null {
  const { silentMs, stoppedMs, storeBusyMs } = vitals;
  if (stoppedMs >= limits.stoppedKillMs) return `stopped for ${Math.round(stoppedMs)} ms`;
  if (silentMs >= limits.silentKillMs) return `silent for ${Math.round(silentMs)} ms`;
  if (storeBusyMs >= limits.storeBusyKillMs && silentMs >= limits.silentMs) {
    return `silent for ${Math.round(silentMs)} ms while the store was busy for ${Math.round(storeBusyMs)} ms`;
  }
  return null;
}

/** True for a node that is silent by itself: nothing has stopped it, and it does not wait for the store. */
export function isSilentLoop({ silentMs, stoppedMs }: Vitals, limits: LauncherLimits): boolean {
  return stoppedMs === 0 && silentMs >= limits.silentKillMs;
}

/** The vitals one tick later. */
export function tickVitals(
  before: Vitals,
  tick: {
    /** Monotonic ms since the tick before. */
    readonly elapsedMs: number;
    readonly pingEveryMs: number;
    /** A ping of an earlier tick is still unanswered. */
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

/** How long a node stays down before its next start: doubles with each life that failed young. */
export function restartDelay(failures: number, limits: LauncherLimits): number {
  if (failures <= 0) return 0;
  return Math.min(limits.restartDelayMaxMs, limits.restartDelayMs * 2 ** Math.min(failures - 1, 30));
}
