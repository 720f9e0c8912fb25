import type { KeyKind } from '../../actors/terms/principal.ts';

/** The authenticated caller: found by the digest of its credential. Only the workspace may change in a key's life. */
export interface Caller {
  /** Address of the account actor, `account:acct_...`. */
  readonly account: string;
  /** Address of the key actor, `key:acct_.../key_...`. */
  readonly key: string;
  readonly kind: KeyKind;
  /** Id of the key's workspace; absent: the default one. At most `SETTINGS_MS` old. */
  readonly workspace?: string;
  /** The key's first and last characters, for people; absent where it is not at hand, as in a job. */
  readonly label?: string;
}

/** The attribution headers of a request, bounded and cleaned. */
export interface Attribution {
  readonly appTitle: string | null;
  readonly appUrl: string | null;
}
