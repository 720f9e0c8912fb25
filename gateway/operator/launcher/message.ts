/**
 * The messages between launcher and node over the process channel: plain data, with a connection's socket handle beside
 * `offer`. A connection is handed over by four messages: `offer`, `ack`, `go`, `taken`. The node reads nothing before
 * `go`, and the launcher keeps its own copy until `taken`.
 */
import { CUT_OFF, type NodeRestarts } from '../../../actors/runtime/index.ts';

export type ToNode =
  /** Offers a connection, whose handle travels with the message. A launcher never reuses an id. */
  | { readonly type: 'offer'; readonly id: number }
  /** Grants the connection: the node sends `taken`, then reads. */
  | { readonly type: 'go'; readonly id: number }
  /** Revokes the offer: the connection went elsewhere, so the node closes its copy unread. */
  | { readonly type: 'no'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number }
  /** The node moves its shards, ends its open work, and exits with 0. */
  | { readonly type: 'drain' }
  /** Reports how another node of this launcher ended. */
  | ({ readonly type: 'death' } & NodeDeath)
  /** Reports how often a node of this launcher was started again, after each end and at the start of a node. */
  | ({ readonly type: 'restarts' } & NodeRestarts);

export type ToLauncher =
  | { readonly type: 'ack'; readonly id: number }
  | { readonly type: 'taken'; readonly id: number }
  /** Declines the offer: the node accepts no connections now and has closed its copy unread. */
  | { readonly type: 'decline'; readonly id: number }
  | { readonly type: 'pong'; readonly id: number; readonly storeBusyMs: number }
  /** The node serves. Sent once per process. */
  | ({ readonly type: 'up' } & NodeAddresses)
  /** Whether the node accepts connections. */
  | { readonly type: 'accepting'; readonly open: boolean }
  /** What the drain of this node waits for beyond the usual graces; repeated every second. */
  | { readonly type: 'waits'; readonly what: string }
  /** Why the node cannot start, as one line for the user; the process exits next. */
  | { readonly type: 'fault'; readonly message: string };

/** The addresses of a running node. */
export interface NodeAddresses {
  readonly incarnation: string;
  /** host:port of the node's gRPC server, for its peers. */
  readonly grpc: string;
  readonly operatorUrl: string;
}

/** How one incarnation ended: `crashed` by the process itself, or `killed` by anything else. */
export interface NodeDeath {
  readonly incarnation: string;
  readonly cause: 'crashed' | 'killed';
}

/** Exit code of a node after an uncaught error. */
export const EXIT_UNCAUGHT = 71;
/** Exit code after a second request to stop: nothing was waited for. */
export const EXIT_FORCED = 130;
/** Exit code of a node that asks for an immediate restart with a new incarnation. */
export const EXIT_REJOIN = 75;
/** Exit code of a node that was declared dead before it served, for a reason that a start at once would meet again. */
export const EXIT_NOT_JOINED = 76;

/**
 * Exit code of a node that was declared dead. A member whose links are cut starts again at once, also before it served:
 * its start has not failed. (rule N43)
 */
export function exitOfDead(why: string, hasServed: boolean): number {
  return hasServed || why === CUT_OFF ? EXIT_REJOIN : EXIT_NOT_JOINED;
}
