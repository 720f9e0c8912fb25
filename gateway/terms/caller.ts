/** The authenticated caller: found by the digest of its credential, immutable for the life of the key. */
export interface Caller {
  /** Address of the account actor, `account:acct_...`. */
  readonly account: string;
  /** Address of the key actor, `key:acct_.../key_...`. */
  readonly key: string;
  readonly kind: 'inference' | 'management';
}

/** The attribution headers of a request, bounded and cleaned. */
export interface Attribution {
  readonly appTitle: string | null;
  readonly appUrl: string | null;
}
