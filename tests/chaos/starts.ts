import { readFileSync } from 'node:fs';

/** One start of a node's process, by the launcher's journal. */
export interface Start {
  readonly node: string;
  /** From the start of the process until it served; null if it never did. */
  readonly joinedMs: number | null;
  /** Why it ended by itself before it served; null if it served, still starts, or was killed from outside. */
  readonly failure: string | null;
}

interface JournalLine {
  readonly event: string;
  readonly time: string;
  readonly node: string;
  readonly pid: number;
  readonly signal?: string | null;
  readonly reason?: string;
}

/** Every line of the launcher's journal about the process of a node. */
export function journalOf(launcherLog: string): readonly JournalLine[] {
  const lines = readFileSync(launcherLog, 'utf8').split('\n');
  return lines.filter((line) => line.includes('"node.')).map((line) => JSON.parse(line) as JournalLine);
}

export function startsIn(launcherLog: string): readonly Start[] {
  const starts: Start[] = [];
  /** The last start of each node, with the wall time of its beginning. */
  const last = new Map<string, { readonly at: number; readonly slot: number }>();
  for (const { event, time, node, signal, reason } of journalOf(launcherLog)) {
    const at = Date.parse(time);
    if (event === 'node.start') last.set(node, { at, slot: starts.push({ node, joinedMs: null, failure: null }) - 1 });
    const started = last.get(node);
    if (started === undefined) continue;
    const { joinedMs } = starts[started.slot] as Start;
    if (event === 'node.up') starts[started.slot] = { node, joinedMs: at - started.at, failure: null };
    if (event === 'node.end' && joinedMs === null && !signal)
      starts[started.slot] = { node, joinedMs, failure: reason ?? 'no reason' };
  }
  return starts;
}

export function problemsOfStarts(starts: readonly Start[]): readonly string[] {
  return starts.flatMap(({ node, failure }) =>
    failure === null ? [] : [`a start of ${node} ended before it served: ${failure}`],
  );
}
