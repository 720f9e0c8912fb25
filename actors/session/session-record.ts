import type { Collection } from '../runtime/index.ts';
import type { Principal } from '../terms/principal.ts';

/** The row of an open session; its id is the digest of the session's secret. A session without a row has ended. */
export interface SessionRecord {
  /** Address of the session, and the id of its account. */
  readonly session: string;
  readonly account: string;
  /** Who opened it: a management key, or the operator by an invitation. */
  readonly by: Principal;
  /** The browser's description of itself, for its owner to tell sessions apart. */
  readonly agent: string;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Index column 0 is the account's id. */
export const sessionCollection: Collection = {
  sort: (row: SessionRecord) => row.createdAt,
  index: [(row: SessionRecord) => row.account],
};
