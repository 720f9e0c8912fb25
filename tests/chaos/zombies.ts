import type { Evidence } from '../support/auditor/evidence.ts';
import { nonceOf } from '../support/auditor/joined.ts';
import type { Note } from '../support/faults/fault-injector.ts';
import type { Strike } from './nemesis.ts';
import { journalOf } from './starts.ts';

/** The outcome of one stopped process. Any of `problems` fails the run. */
export interface Awakening {
  readonly fault: string;
  readonly node: string;
  /** Why it ended: it detected that it was declared dead, or the launcher killed it because it held the store's lock. */
  readonly end: 'rejoined' | 'held the lock' | 'other';
  /** Shards whose commits were refused because another node owned them by then. */
  readonly refused: number;
  /** Calls to providers still open when it resumed. */
  readonly openCalls: number;
  readonly problems: readonly string[];
}

interface Traces {
  readonly launcherLog: string;
  readonly notes: readonly Note[];
  readonly evidence: Pick<Evidence, 'calls' | 'ledger'>;
  /** True if a forced commit is judged before the node can exit. Over a network the two replies race. */
  readonly judgedAtOnce: boolean;
}

/**
 * A resumed node reads its own death at its next heartbeat, and then its open calls end. On PostgreSQL the server may have
 * closed its connection meanwhile, which a heartbeat notices after `peerSilentMs`, 3 s.
 */
const LEARNS_MS = 6_000;
/** Number of stops from which one is forced. */
const SEVERAL = 3;

/** Judges every stopped life by the launcher's journal, the refusals its writer saw, and the providers' logs. */
export function awakenings(strikes: readonly Strike[], traces: Traces): readonly Awakening[] {
  const ends = new Map(
    journalOf(traces.launcherLog).flatMap(({ pid, reason }) => (reason === undefined ? [] : [[pid, reason]])),
  );
  return strikes.flatMap((strike) => (strike.zombie ? [awakening(strike, strike.zombie, ends, traces)] : []));
}

/** The problems of each zombie, and those of a run with several. */
export function problemsOfZombies(woken: readonly Awakening[]): readonly string[] {
  const own = woken.flatMap(({ problems }) => problems);
  if (woken.length < SEVERAL) return own;
  if (woken.every(({ refused }) => refused === 0))
    own.push('no commit of a zombie was refused: fencing was not tested');
  if (woken.every(({ openCalls }) => openCalls === 0)) own.push('no zombie had a call open when it resumed');
  return own;
}

function awakening(
  { fault, node }: Strike,
  { pid, incarnation, wokenAt }: NonNullable<Strike['zombie']>,
  ends: ReadonlyMap<number, string>,
  { notes, evidence, judgedAtOnce }: Traces,
): Awakening {
  const reason = ends.get(pid) ?? 'no end in the journal';
  const end = /rejoin/.test(reason) ? 'rejoined' : /store was busy/.test(reason) ? 'held the lock' : 'other';
  const refused = notes.reduce((sum, note) => sum + (note.pid === pid ? (note.fenced ?? 0) : 0), 0);
  const problems: string[] = [];
  const addProblem = (what: string): unknown => problems.push(`${fault} on ${node}: ${what}`);
  if (end === 'other') addProblem(`unexpected end, neither by rejoining nor as lock holder: ${reason}`);
  if (judgedAtOnce && /before commit/.test(fault) && refused === 0) addProblem('its pending commit was not refused');
  if (/in transaction/.test(fault) && end !== 'held the lock')
    addProblem(`the launcher did not kill the lock holder: ${reason}`);
  const own = new Set(
    evidence.ledger.generations.filter(({ row }) => row.gateway === incarnation).map(({ row }) => nonceOf(row)),
  );
  const open = evidence.calls.filter(
    (call) => wokenAt !== null && own.has(call.id) && call.startAt < wokenAt && endOf(call) >= wokenAt,
  );
  const lastMs = Math.max(0, ...open.map((call) => endOf(call) - (wokenAt as number)));
  if (lastMs > LEARNS_MS) addProblem(`a call to a provider continued for ${Math.round(lastMs)} ms after it resumed`);
  return { fault, node, end, refused, openCalls: open.length, problems };
}

function endOf({ abortAt, endAt }: Evidence['calls'][number]): number {
  return abortAt ?? endAt ?? Number.POSITIVE_INFINITY;
}
