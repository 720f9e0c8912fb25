import type { Collection, Effect, Json } from '../runtime/index.ts';
import { plain } from './only.ts';

/**
 * The newest change of an object that its account can follow (`GET /events`). The actor writes it in the commit of the
 * change, so a change is never shown before it is durable. One row per object: a later change replaces an earlier one.
 */
export interface ObjectChange {
  /** The object's id: of a file, a batch, a key, or of the account itself. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  readonly type: ChangeType;
  /** Store time, ms. */
  readonly at: number;
  /** The object after the change, as its kind describes it. */
  readonly object: Json;
}

export const CHANGE_TYPES = [
  ...(['batch.updated', 'file.stored', 'file.deleted', 'file.expired', 'key.updated'] as const),
  ...(['video.updated', 'balance.low'] as const),
] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** The collection's name in every kind that declares it: one query reads the changes of all kinds of an account. */
export const CHANGE = 'change';
export const CHANGE_ACCOUNT = 0;
/** A client may resume from a cursor of this age at least, ms. */
export const CHANGE_RETENTION_MS = 15 * 60_000;

export const changeCollection: Collection = {
  sort: (row: ObjectChange) => row.at,
  index: [(row: ObjectChange) => row.account],
  retentionMs: CHANGE_RETENTION_MS,
};

export function putChange(change: Omit<ObjectChange, 'object'> & { readonly object: object }): Effect {
  return { type: 'put', collection: CHANGE, id: change.id, body: plain(change) };
}
