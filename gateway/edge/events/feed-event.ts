import type { AccountView } from '../../../actors/account/statement.ts';
import type { ObjectChange } from '../../../actors/terms/change.ts';

/** One event of an account's feed: the newest change of an object, or the account's balance and holds. */
export type FeedEvent =
  | { readonly type: ObjectChange['type']; readonly at: number; readonly change: ObjectChange }
  | { readonly type: 'balance.updated'; readonly at: number; readonly view: AccountView };
