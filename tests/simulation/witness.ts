import type { LedgerEntry } from '../../actors/account/ledger.ts';
import type { ActivityRecord } from '../../actors/runtime/actor/cascade/activity-record.ts';
import { CUT_OFF } from '../../actors/runtime/cluster/membership/verdict.ts';
import type { ShardRow } from '../../actors/runtime/ports/store.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { HOLDS_PER_RUN_MAX } from '../../actors/terms/hold.ts';
import { amount, text } from '../support/auditor/amount.ts';
import type { Sample } from '../support/auditor/evidence.ts';
import type { ActivityRecordSeen, CommitPart, ShardMove } from '../support/auditor/runtime-evidence.ts';
import type { History } from './history.ts';
import type { CommitSeen, Database, Witness } from './world/database.ts';

const DAY_MS = 86_400_000;

/** Observes every commit as it happens: records its writes, and the totals of accounts and keys after each. */
export class CommitWitness implements Witness {
  readonly commits: CommitPart[] = [];
  readonly moves: ShardMove[] = [];
  readonly samples: Sample[] = [];
  readonly activityRecords: ActivityRecordSeen[] = [];
  readonly deaths = new Map<string, number>();
  /** Called for each purse a commit changed. */
  onPurse: (address: string) => void = () => {};
  readonly #history: History;
  readonly #generations = new Map<string, Map<string, Hold>>();
  readonly #ledger = new Map<string, bigint>();
  #database: Database | null = null;

  constructor(history: History) {
    this.#history = history;
  }

  attend(database: Database): void {
    this.#database = database;
  }

  committed({ at, node, echo, write, verdict, held, versions }: CommitSeen): void {
    const { shard, owner, epoch } = write;
    const { committed } = verdict;
    const actors = versions.map(({ address, before, after }) => {
      const actor = write.actors.find(({ record }) => record.address === address);
      const stop = write.stopped.find((each) => each.address === address);
      const expected = actor?.expected ?? stop?.expected ?? 0;
      return { address, expected, written: actor?.record.version ?? 0, before, after };
    });
    const part = { ...{ at, node, shard, owner, epoch }, heldBy: held.owner, heldEpoch: held.epoch, committed, actors };
    this.commits.push(part);
    const short = actors.map(({ address, written }) => `${address}@${written}`);
    this.#history.note('commit', { node, shard, epoch, actors: short, verdict, ...(echo ? { echo } : {}) });
    if (!committed) this.#history.saw(verdict.reason === 'fence' ? 'zombie write refused' : 'stale version refused');
    if (committed) this.#look(write);
  }

  moved(before: ShardRow, after: ShardRow): void {
    const at = this.#database?.scheduler.now ?? 0;
    this.moves.push({ at, shard: after.shard, owner: after.owner, epoch: after.epoch, from: before.epoch });
    this.#history.note('shard', { shard: after.shard, epoch: after.epoch, owner: after.owner, from: before.owner });
    if (before.owner === null || before.owner === after.owner) return;
    for (const [account, rows] of this.#generations) {
      if (this.#database?.tables.loadActor(account)?.actor.shard !== after.shard) continue;
      const statuses = new Set([...rows.values()].map((row) => row.status));
      if (statuses.has('running')) this.#history.saw('takeover with a hold open');
      if (statuses.has('settled')) this.#history.saw('takeover after a settle');
    }
  }

  markedDead(incarnation: string, why: string): void {
    this.deaths.set(incarnation, this.#database?.scheduler.now ?? 0);
    this.#history.note('marked dead', { incarnation, why });
    const all = [...this.#generations.values()].flatMap((rows) => [...rows.values()]);
    const spared = all.some(({ status, former }) => status === 'running' && former.has(incarnation));
    if (spared) this.#history.saw('gateway marked dead after its hold was taken over');
    if (why === CUT_OFF) this.#history.saw('minority voted out');
    if (why === 'silent heartbeat') this.#history.saw('silent node voted out');
  }

  unanswered(call: string): void {
    this.#history.note('unanswered', { call });
    if (call === 'commit') this.#history.saw('acknowledgement of a commit lost');
    if (call === 'claim' || call === 'give') this.#history.saw('acknowledgement of a new owner lost');
  }

  divided(): void {
    this.#history.saw('commit with one shard refused and one written');
  }

  #look(write: CommitSeen['write']): void {
    for (const { address, collection, id, body } of write.rowsPut) {
      if (collection === '$activities') this.#intend(address, id, JSON.parse(body) as ActivityRecord);
      if (collection === 'generation') this.#take(address, JSON.parse(body) as Generation);
      if (collection === 'ledger') this.#enter(address, JSON.parse(body) as LedgerEntry);
    }
    for (const { record } of write.actors) {
      if (record.kind === 'account') this.#sample(record.address);
      if (record.kind === 'purse') this.onPurse(record.address);
    }
  }

  #intend(address: string, id: string, { attempt, runner, begun, suspect, deaths }: ActivityRecord): void {
    this.activityRecords.push({ at: this.#database?.scheduler.now ?? 0, address, id, attempt, runner, begun, suspect });
    if (suspect) this.#history.saw('activity under suspicion');
    if (deaths > 0) this.#history.saw('crash counted against an activity');
  }

  #take(account: string, row: Generation): void {
    const rows = this.#generations.get(account) ?? new Map<string, Hold>();
    const before = rows.get(row.generation);
    this.#generations.set(account, rows.set(row.generation, holdOf(row, before)));
    if (before !== undefined && isLaterRun(before.attempt, row.attempt)) {
      const orphaned = before.status === 'running' && this.deaths.has(before.gateway ?? '');
      this.#history.saw(`later run admitted where a hold was ${orphaned ? 'orphaned' : before.status}`);
    }
    if (row.release?.reason.includes('deadline')) this.#history.saw('hold expired by time');
    if (row.release?.reason.includes('lost')) this.#history.saw('hold released by a node death');
  }

  #enter(account: string, entry: LedgerEntry): void {
    const sign = entry.to === 'balance' ? 1n : -1n;
    this.#ledger.set(account, (this.#ledger.get(account) ?? 0n) + sign * amount(entry.amount));
  }

  #sample(address: string): void {
    const database = this.#database as Database;
    const actor = database.tables.loadActor(address)?.actor;
    if (actor === undefined) return;
    const { balance, held } = (JSON.parse(actor.snapshot) as { context: { balance: string; held: string } }).context;
    const { held: sum, keys } = this.#sums(address);
    const openHolds = text(sum);
    const fromLedger = text(this.#ledger.get(address) ?? 0n);
    const accounts = [{ address, balance, held, fromLedger, openHolds }];
    this.samples.push({ at: database.scheduler.now, shards: [], versions: [], accounts, keys });
  }

  /** What an account and each of its keys hold and have spent, computed from the rows. */
  #sums(account: string): { readonly held: bigint; readonly keys: NonNullable<Sample['keys']> } {
    const now = (this.#database as Database).now();
    const today = now - (now % DAY_MS);
    const keys = new Map<string, { held: bigint; spent: bigint; spentToday: bigint }>();
    let held = 0n;
    for (const hold of this.#generations.get(account)?.values() ?? []) {
      const sum = keys.get(hold.key) ?? { held: 0n, spent: 0n, spentToday: 0n };
      keys.set(hold.key, sum);
      held += hold.held;
      sum.held += hold.held;
      sum.spent += hold.cost;
      if (hold.endedAt >= today) sum.spentToday += hold.cost;
    }
    const sums = [...keys].map(([key, { held: own, spent, spentToday }]) => {
      if (spentToday > 0n && spentToday < spent) this.#history.saw('daily limit reset');
      return { key, held: text(own), spent: text(spent), spentToday: text(spentToday) };
    });
    return { held, keys: sums };
  }
}

/** The members of a generation that the sums need. */
interface Hold {
  readonly key: string;
  readonly status: Generation['status'];
  readonly held: bigint;
  readonly cost: bigint;
  readonly endedAt: number;
  readonly attempt: number;
  /** Null for the hold of a job, which no node's death ends. */
  readonly gateway: string | null;
  /** Gateways of earlier runs from which this hold was taken over. */
  readonly former: ReadonlySet<string>;
}

function holdOf(row: Generation, before: Hold | undefined): Hold {
  const { key, status, amount: held, settlement, endedAt, attempt, gateway } = row;
  const cost = settlement === null ? 0n : amount(settlement.cost);
  const former = new Set(before?.former ?? []);
  if (before?.status === 'running' && before.gateway !== gateway && before.gateway !== null) former.add(before.gateway);
  const ended = { status, held: status === 'running' ? amount(held) : 0n, cost, endedAt: endedAt ?? 0 };
  return { key, ...ended, attempt, gateway, former };
}

function isLaterRun(before: number, after: number): boolean {
  return Math.floor(after / HOLDS_PER_RUN_MAX) > Math.floor(before / HOLDS_PER_RUN_MAX);
}
