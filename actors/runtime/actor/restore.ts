import { chartRange } from './chart-range.ts';
import type { SavedState } from './kind.ts';
import type { RegisteredKind } from './registered-kind.ts';
import { RestoreRefused } from './restore-refused.ts';
import type { Snapshot } from './snapshot.ts';

/** The members of a stored actor that `restore` reads. */
interface Saved {
  readonly address: string;
  readonly chart: number;
  readonly snapshot: string;
}

/**
 * Restores the snapshot exactly as saved, or throws `RestoreRefused`. XState silently adds regions that the saved value
 * lacks and drops states the chart no longer has, so the restored value is compared with the saved one.
 */
export function restore(kind: RegisteredKind, saved: Saved): Snapshot {
  const { value, context, status } = asOwnChart(kind, saved);
  let restored: Snapshot;
  try {
    restored = kind.machine.resolveState({ value, context, status } as never) as Snapshot;
  } catch (error) {
    throw new RestoreRefused(saved.address, error instanceof Error ? error.message : String(error));
  }
  if (!same(restored.value, value)) {
    const now = JSON.stringify(restored.value);
    throw new RestoreRefused(saved.address, `saved in state ${JSON.stringify(value)}, the chart makes it ${now}`);
  }
  if (restored.status !== status) {
    throw new RestoreRefused(saved.address, `saved as ${String(status)}, the chart makes it ${restored.status}`);
  }
  return restored;
}

/** The saved state, converted to the chart of this build. */
function asOwnChart(kind: RegisteredKind, saved: Saved): { value: unknown; context: unknown; status: unknown } {
  const { address, chart } = saved;
  const { loads, version } = chartRange(kind);
  if (chart > version) throw new RestoreRefused(address, `written by chart ${chart}, this build has ${version}`);
  if (chart < loads) throw new RestoreRefused(address, `written by chart ${chart}, this build loads from ${loads} on`);
  const parsed = parse(saved);
  if (chart === version || kind.upcast === null) return parsed;
  try {
    return kind.upcast(parsed as SavedState);
  } catch (error) {
    throw new RestoreRefused(address, `its up-caster threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(saved: Saved): { value: unknown; context: unknown; status: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(saved.snapshot);
  } catch {
    throw new RestoreRefused(saved.address, 'its snapshot is not JSON');
  }
  const { value, context, status } = (parsed ?? {}) as Record<string, unknown>;
  if (value === undefined || value === null) throw new RestoreRefused(saved.address, 'its snapshot has no state value');
  if (context === null || typeof context !== 'object') {
    throw new RestoreRefused(saved.address, 'its snapshot has no context');
  }
  if (status !== 'active' && status !== 'done') {
    throw new RestoreRefused(saved.address, `its snapshot has the status ${String(status)}`);
  }
  return { value, context, status };
}

/** True for equal state values, in any order of their regions. */
function same(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => same((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]));
}
