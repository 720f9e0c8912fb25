/**
 * Removes old months of the ledgers and audit logs whose actors live on this node: a month at a time, exported first
 * where that is configured, and removed by the actor itself. A month stays as long as anything of it may still move.
 */

import { LEDGER, pruneLedger } from '../../../actors/account/prune-ledger.ts';
import { pruneAudit } from '../../../actors/audit/audit.ts';
import { AUDIT } from '../../../actors/audit/audit-entry.ts';
import { paymentsOf } from '../../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../../actors/payment/payment-state.ts';
import {
  AskError,
  type Cancel,
  type Clock,
  type Cluster,
  ownerOf,
  type RowQuery,
} from '../../../actors/runtime/index.ts';
import { sequenceId } from '../../../actors/terms/audit.ts';
import { type Month, monthOf, parseMonth } from '../../../actors/terms/month.ts';
import {
  type ChainedEntry,
  newestOpening,
  type Opening,
  PRUNED_MAX,
  type Prune,
  type PrunedLog,
} from '../../../actors/terms/opening.ts';
import type { Refusal, RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { daysMs, type Retention } from '../../../actors/terms/retention.ts';
import type { ExportFolder } from './export-folder.ts';

const FIRST_ROUND_MS = 60_000;
/** Months become old at most once in a month; a month that had to stay is looked at again. */
const ROUND_MS = 3_600_000;
/** Between two parts of a month, for the other messages of its actor. */
const PART_PAUSE_MS = 20;
const ACTORS_PER_PAGE = 500;
const ROWS_PER_PAGE = 1_000;

interface ChainSweepParts {
  readonly cluster: Pick<Cluster, 'rows' | 'now' | 'ask' | 'owns' | 'operator' | 'self'>;
  readonly clock: Clock;
  readonly retention: Pick<Retention, 'ledger' | 'audit'>;
  /** Null: nothing is exported. */
  readonly folder: Pick<ExportFolder, 'write'> | null;
  readonly crashpoint: (name: string) => void;
  readonly askMs: number;
  readonly log: { info(record: object, message: string): void; warn(record: object, message: string): void };
}

/** What is swept: the logs of one kind of actor. */
interface Swept<Entry extends ChainedEntry> {
  readonly kind: 'account' | 'audit';
  readonly log: PrunedLog<Entry>;
  readonly keptMs: number;
  readonly prune: (
    cluster: Pick<Cluster, 'ask'>,
    address: string,
    part: Prune<Entry>,
    withinMs: number,
  ) => Promise<Opening | RefusedAnswer>;
  /** False: something of the time before `till` may still move. */
  readonly isOver: (address: string, till: number) => Promise<boolean>;
}

/** A month that leaves. */
interface Leaving<Entry extends ChainedEntry> extends Swept<Entry> {
  readonly address: string;
  readonly month: Month;
  /** The newest opening; null: nothing was removed yet. */
  readonly opening: Opening | null;
}

export class ChainSweep {
  readonly #parts: ChainSweepParts;
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: ChainSweepParts) {
    this.#parts = parts;
  }

  start(afterMs = FIRST_ROUND_MS): void {
    const { ledger, audit } = this.#parts.retention;
    if (ledger !== null || audit !== null) this.#timer = this.#parts.clock.after(afterMs, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  async #run(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.#parts.log.warn({ detail: String(error) }, 'old months could not be removed; trying again');
    }
    if (!this.#stopped) this.start(ROUND_MS);
  }

  /** Throws where the store, an actor or the folder of the exports cannot be reached. */
  async round(): Promise<void> {
    const { ledger, audit } = this.#parts.retention;
    if (ledger !== null) {
      const open = await this.#openPayments();
      const isOver = (address: string, till: number): Promise<boolean> => this.#isSettled(address, till, open);
      await this.#sweep({ kind: 'account', log: LEDGER, keptMs: daysMs(ledger), prune: pruneLedger, isOver });
    }
    if (audit !== null) {
      const isOver = () => Promise.resolve(true);
      await this.#sweep({ kind: 'audit', log: AUDIT, keptMs: daysMs(audit), prune: pruneAudit, isOver });
    }
  }

  async #sweep<Entry extends ChainedEntry>(swept: Swept<Entry>): Promise<void> {
    const { operator, self } = this.#parts.cluster;
    const query = { kind: swept.kind, node: self.name, order: 'address', limit: ACTORS_PER_PAGE } as const;
    let page = await operator.actors(query);
    for (;;) {
      for (const { address } of page.actors) await this.#sweepAnswering(swept, address);
      if (page.next === null || this.#stopped) return;
      page = await operator.actors({ ...query, after: page.next });
    }
  }

  /** An actor that does not answer, such as a quarantined one, is left to a later round. */
  async #sweepAnswering<Entry extends ChainedEntry>(swept: Swept<Entry>, address: string): Promise<void> {
    try {
      await this.#sweepLog(swept, address);
    } catch (thrown) {
      if (!(thrown instanceof AskError)) throw thrown;
      this.#parts.log.warn({ actor: address, detail: thrown.message }, 'its old months were not removed');
    }
  }

  async #sweepLog<Entry extends ChainedEntry>(swept: Swept<Entry>, address: string): Promise<void> {
    const { cluster } = this.#parts;
    while (!this.#stopped && cluster.owns(address)) {
      const opening = await newestOpening(cluster.rows, swept.log, address);
      const [first] = await this.#entriesAfter<Entry>(swept.log, address, opening?.sequence ?? 0, 1);
      if (first === undefined) return;
      const begun = opening === null ? null : parseMonth(opening.month);
      const month = begun !== null && first.at < begun.till ? begun : monthOf(first.at);
      if (month.till + swept.keptMs > cluster.now() || !(await swept.isOver(address, month.till))) return;
      const leaving = { ...swept, address, month, opening };
      // What is begun was exported before its first entry left.
      if (month !== begun) await this.#export(leaving);
      if (!(await this.#remove(leaving))) return;
    }
  }

  async #export<Entry extends ChainedEntry>({ log, address, month, opening }: Leaving<Entry>): Promise<void> {
    let last: ChainedEntry | null = null;
    const entries = this.#entriesOf(log, address, month, opening?.sequence ?? 0, ROWS_PER_PAGE);
    async function* lines(): AsyncIterable<string> {
      for await (const page of entries) {
        last = page.at(-1) ?? last;
        yield* page.map((entry) => JSON.stringify(entry));
      }
    }
    const name = `${log.entries}/${month.name}/${encodeURIComponent(ownerOf(address))}`;
    await this.#parts.folder?.write(name, lines(), () => ({
      actor: address,
      month: month.name,
      sequence: last?.sequence,
      hash: last?.hash,
    }));
  }

  /** False: the actor refused, since its log begins elsewhere by now. */
  async #remove<Entry extends ChainedEntry>(leaving: Leaving<Entry>): Promise<boolean> {
    const { cluster, askMs, clock, crashpoint, log: logger } = this.#parts;
    const { log, address, month, opening, prune } = leaving;
    const part = { month: month.name, before: opening?.month ?? null };
    let count = 0;
    for await (const entries of this.#entriesOf(log, address, month, opening?.sequence ?? 0, PRUNED_MAX)) {
      const answer = await prune(cluster, address, { ...part, entries }, askMs);
      if ('refusal' in answer) {
        const { message } = answer.refusal as Refusal;
        logger.warn({ actor: address, month: month.name, detail: message }, 'a month was not removed');
        return false;
      }
      count += entries.length;
      crashpoint('retention.pruned');
      await new Promise<void>((resolve) => void clock.after(PART_PAUSE_MS, resolve));
    }
    logger.info({ actor: address, log: log.entries, month: month.name, entries: count }, 'a month was removed');
    return true;
  }

  /** The entries of a month behind a sequence, page by page. */
  async *#entriesOf<Entry extends ChainedEntry>(
    log: PrunedLog<Entry>,
    address: string,
    { till }: Month,
    after: number,
    limit: number,
  ): AsyncIterable<readonly Entry[]> {
    for (let sequence = after; ; ) {
      const page = await this.#entriesAfter<Entry>(log, address, sequence, limit);
      const end = page.findIndex(({ at }) => at >= till);
      const entries = end === -1 ? page : page.slice(0, end);
      if (entries.length > 0) yield entries;
      if (entries.length < limit) return;
      sequence = entries.at(-1)?.sequence ?? sequence;
    }
  }

  async #entriesAfter<Entry extends ChainedEntry>(
    { entries: collection }: PrunedLog<Entry>,
    address: string,
    sequence: number,
    limit: number,
  ): Promise<readonly Entry[]> {
    const after = { sort: sequence, id: sequenceId(sequence) };
    const rows = await this.#parts.cluster.rows.rows({ collection, address, after, limit });
    return rows.map(({ body }) => JSON.parse(body) as Entry);
  }

  /** No generation of that time is left, which may hold, be charged or be given back, and no payment is open. */
  async #isSettled(address: string, till: number, openPayments: ReadonlyMap<string, number>): Promise<boolean> {
    if ((openPayments.get(ownerOf(address)) ?? till) < till) return false;
    const query = { collection: 'generation', address, limit: 1 } as const;
    const [oldest] = await this.#parts.cluster.rows.rows(query);
    return oldest === undefined || oldest.sort >= till;
  }

  /** By account: when its oldest payment began that is not credited and has not failed. */
  async #openPayments(): Promise<ReadonlyMap<string, number>> {
    const oldest = new Map<string, number>();
    for (const status of ['pending', 'review'] as const) {
      for await (const { account, createdAt } of this.#all<PaymentRecord>(paymentsOf(status))) {
        oldest.set(account, Math.min(oldest.get(account) ?? createdAt, createdAt));
      }
    }
    return oldest;
  }

  async *#all<T>(query: Omit<RowQuery, 'limit' | 'after'>): AsyncIterable<T> {
    const { rows } = this.#parts.cluster;
    let page = await rows.rows({ ...query, limit: ROWS_PER_PAGE });
    for (;;) {
      for (const { body } of page) yield JSON.parse(body) as T;
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS_PER_PAGE) return;
      page = await rows.rows({ ...query, limit: ROWS_PER_PAGE, after: { sort: last.sort, id: last.id } });
    }
  }
}
