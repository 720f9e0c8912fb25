/**
 * The removal of old entries of a chained log. They leave from the front, by whole UTC months, in commits of the log's
 * own actor, which writes in the same commit the opening of what remains: the number and the hash of the last removed
 * entry. Every check of the chain begins there, so at no moment does an entry lack its predecessor. (rule K84)
 */
import type { Effect, RowReader, RowRef, Stamped } from '../runtime/index.ts';
import { CHAIN_ROOT, sequenceId } from './audit.ts';
import { firstRow, plain, refuse } from './chart-tools.ts';
import { parseMonth } from './month.ts';

/** A row, one per removed month, kept for ever; its id is the month. Written anew with each part of its month. */
export interface Opening {
  /** The UTC month that is removed, `YYYY-MM`. */
  readonly month: string;
  /** The last removed entry. */
  readonly sequence: number;
  readonly hash: string;
}

export interface ChainedEntry extends Pick<Opening, 'sequence' | 'hash'> {
  readonly previous: string;
  /** Store time, ms. */
  readonly at: number;
}

/** Removes the next entries of a log. Its repeat is refused: the log then begins behind them. */
export interface Prune<Entry extends ChainedEntry> {
  readonly month: string;
  /** The month of the newest opening, as the sender has read it; null without one. */
  readonly before: string | null;
  /** 1 to `PRUNED_MAX`, ascending. */
  readonly entries: readonly Entry[];
}

/** Entries that one step removes: audit entries of the largest size fit one message. */
export const PRUNED_MAX = 128;
/**
 * Nothing of a month is removed earlier after its end: a quarter can be reconciled with its statements, and every way
 * to pay has ended its disputes.
 */
export const CHAIN_DAYS_MIN = 90;
const DAY_MS = 24 * 3_600_000;

/** What a log declares: its collections, and the hash of an entry from its content. */
export interface PrunedLog<Entry extends ChainedEntry> {
  readonly entries: string;
  readonly openings: string;
  readonly hashOf: (entry: Entry) => string;
}

export function pruneRows<Entry extends ChainedEntry>(
  { entries: collection, openings }: PrunedLog<Entry>,
  { month, before, entries }: Prune<Entry>,
): readonly RowRef[] {
  const opening = (as: string, id: string): RowRef => ({ as, collection: openings, id, mayBeStored: true });
  const next = sequenceId((entries.at(-1)?.sequence ?? 0) + 1);
  return [
    opening('begun', month),
    ...(before === null ? [] : [opening('before', before)]),
    { as: 'next', collection, id: next, mayBeStored: true },
  ];
}

/** The newest opening before the event; null: nothing was removed yet. */
export function openingOf<T extends Opening>(event: Pick<Stamped, 'rows'>): T | null {
  return firstRow<T>(event, 'begun') ?? firstRow<T>(event, 'before');
}

/**
 * True for entries that the log begins with, of an ended month that is old enough. The entry behind them, or `newest` of
 * the log, names the hash of the last one, which proves all of them.
 */
export function isPrunable<Entry extends ChainedEntry>(
  { hashOf }: PrunedLog<Entry>,
  event: Prune<Entry> & Pick<Stamped, 'rows' | 'at'>,
  newest: ChainedEntry | null,
): boolean {
  const { month, entries, at } = event;
  const till = parseMonth(month)?.till ?? Number.POSITIVE_INFINITY;
  if (at < till + CHAIN_DAYS_MIN * DAY_MS || entries.length === 0 || entries.length > PRUNED_MAX) return false;
  let { sequence, hash } = openingOf(event) ?? { sequence: 0, hash: CHAIN_ROOT };
  for (const entry of entries) {
    if (entry.sequence !== sequence + 1 || entry.previous !== hash || entry.at >= till) return false;
    if (hashOf(entry) !== entry.hash) return false;
    ({ sequence, hash } = entry);
  }
  const proof = newest?.sequence === sequence ? newest.hash : firstRow<Entry>(event, 'next')?.previous;
  return proof === hash;
}

/** The opening and the removals, in one commit. */
export function pruned<Entry extends ChainedEntry>(
  { entries: collection, openings }: PrunedLog<Entry>,
  opening: Opening,
  entries: readonly Entry[],
): Effect[] {
  return [
    { type: 'put', collection: openings, id: opening.month, body: plain(opening) },
    ...entries.map(({ sequence }): Effect => ({ type: 'remove', collection, id: sequenceId(sequence) })),
  ];
}

export function refusePrune(): Effect {
  return refuse({ status: 409, type: 'conflict', message: 'The log does not begin with these entries' });
}

/** Where the entries of a log begin; null: with the first one. `address` is the log's actor. */
export async function newestOpening<T extends Opening>(
  reader: Pick<RowReader, 'rows'>,
  { openings }: Pick<PrunedLog<never>, 'openings'>,
  address: string,
): Promise<T | null> {
  const [row] = await reader.rows({ collection: openings, address, order: 'descending', limit: 1 });
  return row === undefined ? null : (JSON.parse(row.body) as T);
}
