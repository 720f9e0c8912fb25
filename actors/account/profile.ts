/** The row that lists an account: found by its name, its status and its age, without waking the account. */
import type { Collection, Effect, RowReader } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { AccountState } from './account-state.ts';

export interface Profile {
  /** Address of the account. */
  readonly account: string;
  readonly name: string;
  readonly status: 'open' | 'suspended';
  /** Store time, ms. */
  readonly createdAt: number;
}

/** The collection's name; the id of a row is its account's address. */
export const PROFILE = 'profile';
/** A column in which every account has the same value, for lists of all; behind it the name in lower case, and the status. */
export const PROFILES = { column: 0, equals: '*' } as const;
const PROFILE_NAME = 1;
const PROFILE_STATUS = 2;

export const profileCollection: Collection = {
  sort: ({ createdAt }: Profile) => createdAt,
  index: [() => PROFILES.equals, ({ name }: Profile) => name.toLowerCase(), ({ status }: Profile) => status],
};

export function putProfile({ address: account, name, createdAt }: AccountState, status: Profile['status']): Effect {
  const profile: Profile = { account, name, status, createdAt: createdAt ?? 0 };
  return { type: 'put', collection: PROFILE, id: account, body: plain(profile) };
}

/** The accounts of this name, whatever its case; several may have it. */
export function profilesNamed(name: string) {
  return { collection: PROFILE, where: { column: PROFILE_NAME, equals: name.toLowerCase() } } as const;
}

/** The accounts whose name begins so, whatever its case, in the order of their names. */
export function profilesBeginning(name: string) {
  return { collection: PROFILE, startsWith: { column: PROFILE_NAME, text: name.toLowerCase() } } as const;
}

/** The accounts of one status. */
export function profilesOf(status: Profile['status']) {
  return { collection: PROFILE, where: { column: PROFILE_STATUS, equals: status } } as const;
}

/** Null: there is no such account. */
export async function findProfile(rows: Pick<RowReader, 'row'>, account: string): Promise<Profile | null> {
  const row = await rows.row(account, PROFILE, account);
  return row === null ? null : (JSON.parse(row.body) as Profile);
}
