import type { RegisterOperation } from './runtime-evidence.ts';

/** Steps after which the search throws: a checker that cannot decide must not pass. */
const STEPS_MAX = 2_000_000;

interface Step {
  readonly operation: RegisterOperation;
  /** Earliest time at which it may have taken effect. */
  readonly at: number;
  /** Infinite if the outcome is unknown. */
  readonly endAt: number;
}

/**
 * Wing and Gong's search for one register, with memoised states: it looks for an order of the operations that respects
 * real-time precedence and explains every answer. Operations with an unknown outcome whose value was never read are
 * left out. `reaches` returns the earliest moment that an operation without a change may show.
 */
export function isLinearizable(
  operations: readonly RegisterOperation[],
  reaches: (operation: RegisterOperation) => number = ({ at }) => at,
): { readonly holds: boolean; readonly detail: string } {
  const steps = stepsOf(operations, reaches);
  const tried = new Set<string>();
  const done = new Array<boolean>(steps.length).fill(false);
  let left = steps.filter(({ endAt }) => endAt !== Number.POSITIVE_INFINITY).length;
  let searched = 0;
  let deepest = 0;
  let stuckAt = '';

  // Everything before `first` is done.
  const search = (first: number, value: string | null): boolean => {
    if (left === 0) return true;
    if (++searched > STEPS_MAX) throw new Error('the search for an order took too long');
    while (first < steps.length && done[first]) first++;
    const key = `${first} ${value} ${windowOf(done, first)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    let earliestEnd = Number.POSITIVE_INFINITY;
    for (let i = first; i < steps.length; i++) {
      const step = steps[i] as Step;
      if (step.at > earliestEnd) break;
      if (done[i]) continue;
      earliestEnd = Math.min(earliestEnd, step.endAt);
      const next = apply(step.operation, value);
      if (next === undefined) continue;
      const counts = step.endAt !== Number.POSITIVE_INFINITY ? 1 : 0;
      done[i] = true;
      left -= counts;
      if (search(first, next)) return true;
      done[i] = false;
      left += counts;
    }
    if (first >= deepest) {
      deepest = first;
      stuckAt = JSON.stringify(steps[first]?.operation);
    }
    return false;
  };
  const holds = search(0, null);
  return { holds, detail: holds ? '' : stuckAt };
}

/** Ordered by start; without unanswered reads, failed changes, and unknown changes whose value was never read. */
function stepsOf(
  operations: readonly RegisterOperation[],
  reaches: (operation: RegisterOperation) => number,
): readonly Step[] {
  const seen = new Set(operations.map((operation) => operation.seen));
  return operations
    .filter(({ outcome, action }) => {
      if (outcome === 'fail') return false;
      return outcome === 'ok' || (action.type !== 'read' && seen.has(action.value));
    })
    .map((operation) => ({
      operation,
      at: changed(operation) ? operation.at : reaches(operation),
      endAt: operation.outcome === 'ok' && operation.endAt !== null ? operation.endAt : Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => a.at - b.at);
}

/** True if the operation was or may have been a commit. */
function changed({ action, outcome, swapped }: RegisterOperation): boolean {
  return action.type === 'write' || (action.type === 'swap' && (outcome !== 'ok' || swapped === true));
}

/** The value after the operation, or undefined if its answer does not fit. */
function apply({ action, outcome, seen, swapped }: RegisterOperation, value: string | null): string | null | undefined {
  const answered = outcome === 'ok';
  switch (action.type) {
    case 'read':
      return seen === value ? value : undefined;
    case 'write':
      return answered && seen !== action.value ? undefined : action.value;
    case 'swap': {
      const matches = action.expect === value;
      if (!answered) return matches ? action.value : undefined;
      if (swapped !== matches) return undefined;
      const next = matches ? action.value : value;
      return seen === next ? next : undefined;
    }
    default:
      throw new Error(`unknown action ${JSON.stringify(action satisfies never)}`);
  }
}

/** Which operations after the first open one are done: the rest of the search's state. */
function windowOf(done: readonly boolean[], first: number): string {
  const last = done.lastIndexOf(true);
  let text = '';
  for (let i = first; i <= last; i++) text += done[i] ? '1' : '0';
  return text;
}
