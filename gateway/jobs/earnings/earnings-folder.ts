import { foldEarnings, showProvider } from '../../../actors/provider/provider.ts';
import type { Cancel, Clock, Cluster } from '../../../actors/runtime/index.ts';
import { providerAddress } from '../../../actors/terms/ids.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { type ChargedDay, chargedOn, DAY_MS, earnedBy, firstChargedDay } from './earned-day.ts';
import { EndpointOwners } from './endpoint-owners.ts';

/** Looks for a day to fold this often. */
const FOLD_EVERY_MS = 600_000;
/** A day is closed when the commits of its last moments have long ended. */
const CLOSED_AFTER_MS = 3_600_000;
/** Days of one round; a cluster that was stopped for longer catches up in several. */
const DAYS_PER_ROUND = 31;
/** Rows in one message, far below its bound of 1 MiB. */
const ROWS_PER_FOLD = 500;

interface FolderParts {
  readonly cluster: Pick<Cluster, 'rows' | 'now' | 'ask' | 'owns'>;
  readonly clock: Clock;
  readonly providers: readonly ProviderDeclaration[];
  readonly askMs: number;
  readonly log: { warn(record: object, message: string): void };
}

interface Due {
  readonly provider: ProviderDeclaration;
  /** The first day that is not folded. */
  readonly next: number;
}

/**
 * Folds each closed UTC day into the earnings of the providers whose actors live on this node. One reading of the day's
 * usage rows serves all of them. A repeat, also by another node after a death, writes the same rows.
 */
export class EarningsFolder {
  readonly #parts: FolderParts;
  readonly #owners: EndpointOwners;
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#owners = new EndpointOwners(parts.cluster, parts.askMs);
  }

  start(): void {
    this.#timer = this.#parts.clock.after(FOLD_EVERY_MS, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  async #run(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.#parts.log.warn({ detail: String(error) }, 'the earnings of providers could not be folded; trying again');
    }
    if (!this.#stopped) this.start();
  }

  /** Throws where the store or an actor cannot be reached. */
  async round(): Promise<void> {
    const { cluster } = this.#parts;
    const closed = windowStart('daily', cluster.now() - DAY_MS - CLOSED_AFTER_MS);
    const due = (await this.#due()).filter(({ next }) => next <= closed);
    if (due.length === 0) return;
    const first = Math.min(...due.map(({ next }) => next));
    const last = Math.min(closed, first + (DAYS_PER_ROUND - 1) * DAY_MS);
    for (let day = first; day <= last && !this.#stopped; day += DAY_MS) {
      const charged = await chargedOn(cluster, this.#owners, day);
      for (const { provider, next } of due) if (next <= day) await this.#fold(provider, day, charged);
    }
  }

  async #due(): Promise<readonly Due[]> {
    const { cluster, providers, askMs } = this.#parts;
    const own = providers.filter(({ slug }) => cluster.owns(providerAddress(slug)));
    const due: Due[] = [];
    let oldest: number | null | undefined;
    for (const provider of own) {
      const view = await showProvider(cluster, provider.slug, askMs);
      if (view?.earnings === undefined && oldest === undefined) oldest = await firstChargedDay(cluster);
      const next = view?.earnings === undefined ? (oldest ?? null) : view.earnings.last + DAY_MS;
      if (next !== null) due.push({ provider, next });
    }
    return due;
  }

  async #fold(provider: ProviderDeclaration, day: number, charged: ChargedDay): Promise<void> {
    const { cluster, askMs } = this.#parts;
    const earnings = earnedBy(provider, charged);
    for (let from = 0; from === 0 || from < earnings.length; from += ROWS_PER_FOLD) {
      const part = earnings.slice(from, from + ROWS_PER_FOLD);
      const isLast = from + ROWS_PER_FOLD >= earnings.length;
      await foldEarnings(cluster, provider.slug, { day, earnings: part, isLast }, askMs);
    }
  }
}
