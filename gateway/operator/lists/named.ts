/** The accounts and keys that queries name. */
import { profilesNamed } from '../../../actors/account/profile.ts';
import type { RowReader } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { findAddress } from '../find-address.ts';
import { isAbsent } from '../http/operator-route.ts';

type Rows = Pick<RowReader, 'rows' | 'rowById'>;

/** The address of an account that is named by its id, its address or its name; the oldest of several of one name. */
export async function accountNamed(rows: Rows, text: string): Promise<string> {
  if (text.startsWith('account:')) return text;
  if (text.startsWith('acct_')) return accountAddress(text);
  const [found] = await rows.rows({ ...profilesNamed(text), limit: 1 });
  if (found === undefined) throw isAbsent(`account named ${text}`);
  return found.address;
}

/** The address of a key that is named by its id or its address. */
export async function keyNamed(rows: Rows, text: string): Promise<string> {
  if (text.startsWith('key:')) return text;
  const found = await findAddress(rows, text);
  if (found === null) throw isAbsent(text);
  return found;
}
