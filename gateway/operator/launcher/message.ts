/**
 * What launcher and node say to each other over the process channel. Plain data, one connection's socket beside
 * `offer`. A connection changes hands in four words: `offer`, `ack`, `go`, `taken`; until `go` the node reads nothing,
 * until `taken` the launcher keeps its own copy.
 */
export type ToNode =
  /** A connection (its handle travels beside). The number is never used twice by one launcher. */
  | { readonly type: 'offer'; readonly id: number }
  /** It is yours: say `taken`, then read. */
  | { readonly type: 'go'; readonly id: number }
  /** It went elsewhere meanwhile: close your copy unread. */
  | { readonly type: 'no'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number }
  /** Hand your shards on, end your open work, exit 0. */
  | { readonly type: 'drain' }
  /** A node of this launcher has ended, and this is how. */
  | ({ readonly type: 'death' } & NodeDeath);

export type ToLauncher =
  | { readonly type: 'ack'; readonly id: number }
  | { readonly type: 'taken'; readonly id: number }
  /** Not this one: the node takes no connections now. Its copy is closed unread. */
  | { readonly type: 'decline'; readonly id: number }
  | { readonly type: 'pong'; readonly id: number; readonly storeBusyMs: number }
  /** The node serves. Said once per process. */
  | ({ readonly type: 'up' } & NodeAddresses)
  /** The node takes connections (or no longer does). */
  | { readonly type: 'intake'; readonly open: boolean }
  /** Why the node cannot start: one line for a person, the process exits next. */
  | { readonly type: 'fault'; readonly message: string };

/** Where a running node is reached. */
export interface NodeAddresses {
  readonly incarnation: string;
  /** host:port of the node's gRPC server: peers and operator tools. */
  readonly grpc: string;
  readonly operatorUrl: string;
}

/** How one incarnation ended: by its own hand, or by anything else. */
export interface NodeDeath {
  readonly incarnation: string;
  readonly cause: 'own-hand' | 'outside';
}

/** Exit code of a node in which an error was caught by nobody. */
export const EXIT_UNCAUGHT = 71;
/** Exit code of a node that wants to be started again at once, with a new incarnation. */
export const EXIT_REJOIN = 75;
