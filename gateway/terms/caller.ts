/** Who asks: found from the digest of the presented key, immutable for the life of the key. */
export interface Caller {
  /** Address of the account actor, `account:acct_...`. */
  readonly account: string;
  /** Address of the key actor, `key:acct_.../key_...`. */
  readonly key: string;
  readonly kind: 'inference' | 'management';
}

/** What the request said about itself in its headers, bounded and cleaned. */
export interface Attribution {
  readonly appTitle: string | null;
  readonly appUrl: string | null;
}
