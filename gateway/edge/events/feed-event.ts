import type { AccountView } from '../../../actors/account/statement.ts';
import type { FeedEventRow } from '../../../actors/terms/feed-event.ts';

/** One event of an account's feed: the newest change of an object, or the account's balance and holds. */
export type FeedEvent =
  | { readonly type: FeedEventRow['type']; readonly at: number; readonly change: FeedEventRow }
  | { readonly type: 'balance.updated'; readonly at: number; readonly view: AccountView };
