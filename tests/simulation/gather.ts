import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { TransitionLog } from '../../actors/runtime/actor/cascade/transition-log.ts';
import type { RowRecord } from '../../actors/runtime/ports/store.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import config from '../../cluster.config.ts';
import type { Evidence, KeyUsage, LedgerDump, LedgerLine } from '../support/auditor/evidence.ts';
import type { RuntimeEvidence } from '../support/auditor/runtime-evidence.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import type { CommitWitness } from './witness.ts';
import { PRICES, SLUGS } from './workload/price-list.ts';
import type { Workload } from './workload/workload.ts';
import type { Database } from './world/database.ts';

const ROWS_MAX = 1_000;
const TRAIL_MAX = 50;
/** Bound of the store-time error: each node extrapolates store time between heartbeats, and heartbeat replies may be delayed. */
const CLOCK_SLACK_MS = 100;

interface Gathered {
  readonly workload: Workload;
  readonly database: Database;
  readonly witness: CommitWitness;
  readonly usages: readonly KeyUsage[] | null;
  /** Incarnations that crashed. */
  readonly crashed: ReadonlySet<string>;
}

/** Collects the auditor's evidence from the clients' notes and the database, as it is now: the world may run on. */
export function gather({ workload, database, witness, usages, crashed }: Gathered): Evidence {
  const { turns, bank, reads, batches, videos } = workload;
  const ledger = dump(workload, database);
  return {
    ...{ history: turns.history, calls: turns.calls, ledger, samples: [...witness.samples] },
    credits: [],
    deposits: [...bank.deposits.filter((deposit) => deposit.acknowledged), batches.deposit],
    batches: batches.evidence,
    videos: videos.evidence,
    ...{ prices: PRICES, slugs: SLUGS, clockSlackMs: CLOCK_SLACK_MS },
    ...{ keys: bank.keys, reads: reads.reads, releases: turns.releases, ended: ended(database) },
    ...(usages === null ? {} : { usages }),
    runtime: runtimeEvidence(workload, witness, ledger, crashed),
    refusedCommits: database.refusals,
  };
}

function runtimeEvidence(
  workload: Workload,
  witness: CommitWitness,
  { actors }: LedgerDump,
  crashed: ReadonlySet<string>,
): RuntimeEvidence {
  const { registers, tallies, alarms, purses, wallets, bills, jobs, sightings } = workload;
  return {
    ...{ commits: [...witness.commits], moves: [...witness.moves], registers: registers.operations },
    ...{ readLeaseMs: config.runtime.readLeaseMs, timeSlackMs: CLOCK_SLACK_MS },
    transitionLogs: actors.map(({ address, transitionLog }) => ({ address, versions: transitionLog })),
    ...{ additions: tallies.additions, tallies: tallies.stored(), alarms: alarms.asked, clockworks: alarms.stored() },
    ...{ shown: [...registers.shown, ...tallies.shown, ...sightings], purses: purses.sums },
    ...{ transfers: wallets.asked, received: wallets.received(), wallets: wallets.stored() },
    ...{ bills: bills.asked, billsStored: bills.stored(), funds: bills.funds(), deadLetters: bills.deadLetters() },
    ...{ walletFilled: wallets.filled, jobs: jobs.asked, works: jobs.stored(), activityCalls: jobs.calls },
    ...{ activityRecords: [...witness.activityRecords], crashed },
  };
}

function ended(database: Database): ReadonlySet<string> {
  const gone = database.tables.allNodes().filter((row) => row.state === 'dead' || row.state === 'left');
  return new Set(gone.map((row) => row.incarnation));
}

function dump({ bank, batches, registers, tallies }: Workload, database: Database): LedgerDump {
  const { tables } = database;
  const all = [...bank.accounts, batches.account];
  const entries = all.flatMap((account) => bodies<LedgerEntry>(rowsOf(database, 'ledger', account)));
  const accounts = all.flatMap((address) => {
    const actor = tables.loadActor(address)?.actor;
    if (actor === undefined) return [];
    const { context } = JSON.parse(actor.snapshot) as { context: { balance: string; held: string } };
    return [{ address, balance: context.balance, held: context.held }];
  });
  const addresses = [...all, ...bank.keys.map((key) => key.address), ...registers.addresses, ...tallies.addresses];
  return {
    ...{ accounts, entries: entries.map(lineOf), openings: [] },
    generations: all.flatMap((account) =>
      bodies<Generation>(rowsOf(database, 'generation', account)).map((row) => ({ account, row })),
    ),
    actors: addresses.flatMap((address) => {
      const actor = tables.loadActor(address)?.actor;
      return actor === undefined
        ? []
        : [{ address, version: actor.version, transitionLog: versionsIn(actor.transitions) }];
    }),
    chainFaults: all.flatMap((account) => {
      const verdict = verifyLedger(entries.filter((entry) => entry.account === account));
      return verdict.sound ? [] : [`${account} line ${verdict.sequence}: ${verdict.reason}`];
    }),
  };
}

function rowsOf({ tables }: Database, collection: string, address: string): readonly RowRecord[] {
  const all: RowRecord[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? {} : { after: { sort: last.sort, id: last.id } };
    const page = tables.query({ collection, address, limit: ROWS_MAX, ...after });
    all.push(...page);
    if (page.length < ROWS_MAX) return all;
  }
}

function bodies<T>(rows: readonly RowRecord[]): readonly T[] {
  return rows.map((row) => JSON.parse(row.body) as T);
}

/** A negative adjustment is stored as a positive amount with its accounts swapped. */
function lineOf({ account, sequence, type, amount, from, balance, ref }: LedgerEntry): LedgerLine {
  const away = type !== 'charge' && from === 'balance';
  const generation = type === 'charge' ? ref : null;
  return { account, sequence, type, amount: away ? `-${amount}` : amount, balance, generation, ref };
}

/** Decoded by the product's own code: the stored format is private to the transition log. */
function versionsIn(stored: string): readonly number[] {
  const transitionLog = new TransitionLog(TRAIL_MAX, { epoch: 0, node: '' });
  transitionLog.restore(stored);
  return transitionLog.steps().map(([version]) => version);
}
