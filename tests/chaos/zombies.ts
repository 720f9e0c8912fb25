import { readFileSync } from 'node:fs';
import type { Evidence } from '../support/auditor/evidence.ts';
import type { Note } from '../support/faults/fault-desk.ts';
import type { Strike } from './nemesis.ts';

/** What became of one stopped life. `complaints` fail the run. */
export interface Awakening {
  readonly fault: string;
  readonly node: string;
  /** Who ended it: its own insight that it is dead, or the launcher because it held the store's lock. */
  readonly end: 'rejoined' | 'held the lock' | 'other';
  /** Shards its commits were refused for, because somebody else owned them by then. */
  readonly refused: number;
  /** Calls to providers it still had open when it woke. */
  readonly openCalls: number;
  readonly complaints: readonly string[];
}

export interface Traces {
  readonly launcherLog: string;
  readonly notes: readonly Note[];
  readonly evidence: Pick<Evidence, 'calls' | 'ledger'>;
  /** A forced commit is judged before the node can end. Not so over a network: there the two answers race. */
  readonly judgedAtOnce: boolean;
}

/** A woken node reads its own death at its next heartbeat, and whatever it has open ends with it. */
const LEARNS_MS = 3_000;
/** So many stops, and a forced one is among them. */
const SEVERAL = 3;

/** Judges every stopped life by the launcher's journal, the refusals its writer saw, and the providers' logs. */
export function awakenings(strikes: readonly Strike[], traces: Traces): readonly Awakening[] {
  const ends = new Map(journal(traces.launcherLog).map((line) => [line.pid, line.reason]));
  return strikes.flatMap((strike) => (strike.zombie ? [awakening(strike, strike.zombie, ends, traces)] : []));
}

/** Each zombie's own, and what a run of several has to have shown. */
export function complaintsOfZombies(woken: readonly Awakening[]): readonly string[] {
  const own = woken.flatMap(({ complaints }) => complaints);
  if (woken.length < SEVERAL) return own;
  if (woken.every(({ refused }) => refused === 0)) own.push('no commit of a zombie was refused: none was tried');
  if (woken.every(({ openCalls }) => openCalls === 0)) own.push('no zombie had a call open when it woke');
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
  const complaints: string[] = [];
  const complain = (what: string): unknown => complaints.push(`${fault} on ${node}: ${what}`);
  if (end === 'other') complain(`it ended otherwise than as a zombie or as a holder of the lock: ${reason}`);
  if (judgedAtOnce && /before commit/.test(fault) && refused === 0) complain('the commit in its hands was not refused');
  if (/in transaction/.test(fault) && end !== 'held the lock')
    complain(`the launcher did not end the holder: ${reason}`);
  const own = new Set(
    evidence.ledger.generations.filter(({ row }) => row.gateway === incarnation).map(({ row }) => row.user),
  );
  const open = evidence.calls.filter(
    (call) => wokenAt !== null && own.has(call.id) && call.startAt < wokenAt && endOf(call) >= wokenAt,
  );
  const late = open.filter((call) => endOf(call) > (wokenAt as number) + LEARNS_MS).length;
  if (late > 0) complain(`${late} calls to providers went on after it had woken`);
  return { fault, node, end, refused, openCalls: open.length, complaints };
}

function endOf({ abortAt, endAt }: Evidence['calls'][number]): number {
  return abortAt ?? endAt ?? Number.POSITIVE_INFINITY;
}

function journal(file: string): readonly { readonly pid: number; readonly reason: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"node.end"'))
    .map((line) => JSON.parse(line) as { pid: number; reason: string });
}
