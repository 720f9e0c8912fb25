/**
 * Restarts nodes one after another by drain. The next node is drained only when the one before serves with the new
 * configuration, so a cluster of several nodes serves all the time. The first that does not come back ends the roll.
 */
import type { Clock } from '../../../../actors/runtime/index.ts';
import type { ServingState } from '../../../terms/serving-state.ts';
import { ConfigError } from '../../config/config-error.ts';

const LOOK_MS = 250;

/** A node as it answers now. */
export interface RolledNode {
  readonly incarnation: string;
  readonly state: ServingState;
  readonly config: unknown;
}

interface RollParts {
  readonly clock: Clock;
  /** Null: the node does not answer. */
  readonly look: (node: string) => Promise<RolledNode | null>;
  readonly drain: (node: string) => Promise<void>;
  /** True for the new configuration. */
  readonly isNew: (config: unknown) => boolean;
  /** How long a drain may take, and how long a node may then need to serve again. */
  readonly drainMs: number;
  readonly backMs: number;
  readonly report: (line: string) => void;
}

/** Resolves with the nodes that were restarted. @throws ConfigError naming the node that ended the roll */
export async function rollNodes(names: readonly string[], parts: RollParts): Promise<readonly string[]> {
  const rolled: string[] = [];
  for (const [at, name] of names.entries()) {
    const before = await parts.look(name);
    if (before !== null && before.state === 'ready' && parts.isNew(before.config)) {
      parts.report(`${name} runs with the new configuration already`);
      continue;
    }
    if (before === null) parts.report(`${name} does not run; waiting for it`);
    else {
      parts.report(`${name} drains`);
      await parts.drain(name);
    }
    const fault = await waitUntilBack(name, before, parts);
    if (fault !== null) throw new ConfigError(`${fault}; ${others(names.slice(at + 1))}`);
    parts.report(`${name} serves with the new configuration`);
    rolled.push(name);
  }
  return rolled;
}

function others(left: readonly string[]): string {
  const untouched = left.length === 0 ? '' : `the former configuration still runs on ${left.join(', ')}; `;
  return `${untouched}see \`troupe logs\`, correct the cause and run the command again`;
}

/** Waits until the node serves anew; answers why it does not. */
async function waitUntilBack(name: string, before: RolledNode | null, parts: RollParts): Promise<string | null> {
  const { clock, look, isNew, drainMs, backMs } = parts;
  const begunAt = clock.monotonic();
  let awayAt = before === null ? begunAt : null;
  for (;;) {
    const seen = await look(name);
    const isOld = seen !== null && seen.incarnation === before?.incarnation;
    if (!isOld) awayAt ??= clock.monotonic();
    if (seen !== null && !isOld && seen.state === 'ready') {
      return isNew(seen.config) ? null : `${name} came back with another configuration than the file`;
    }
    const now = clock.monotonic();
    if (awayAt === null && now - begunAt > drainMs) return `${name} still drains after ${drainMs / 1_000} s`;
    if (awayAt !== null && now - awayAt > backMs) return `${name} did not come back within ${backMs / 1_000} s`;
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
  }
}
