/**
 * HTTP to providers as a port. One request, one answer. Never follows a redirect, never asks for compression, bounds
 * every wait on the given clock, is independent of dialects, and never logs a header.
 */
export interface Outbound {
  /** Sends at once. Resolves with the answer's head; rejects with `OutboundError`. */
  send(call: OutboundCall): Promise<OutboundReply>;
  /** Aborts every open call and closes every connection. */
  close(): Promise<void>;
}

export interface OutboundCall {
  readonly method: 'GET' | 'POST';
  readonly url: OutboundUrl;
  /** Alternating names and values, lower case names; callers build them once per provider where possible. */
  readonly headers: readonly string[];
  readonly body: string | OutboundUpload | null;
  readonly limits: OutboundLimits;
  /** Receives the function that aborts the call, before it is sent. Aborting an ended call has no effect. */
  readonly begun?: ((abort: () => void) => void) | undefined;
}

/** A body that is written as the connection takes it; `length` is its exact size in bytes. */
export interface OutboundUpload {
  readonly length: number;
  /** Called once. Ended early if the call fails, or if the server answers before it has read everything. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** An address taken apart once, so that a request costs no URL parsing. */
export interface OutboundUrl {
  readonly origin: string;
  readonly path: string;
}

/** Milliseconds, and the maximum size of an answer in bytes. */
export interface OutboundLimits {
  /** Until the request is on a connection. */
  readonly connectMs: number;
  /** From the connection to the answer's head. */
  readonly firstByteMs: number;
  /** Between two signs of progress of the body. */
  readonly idleMs: number;
  /** From the call to the last byte. */
  readonly totalMs: number;
  readonly bodyBytesMax: number;
}

export interface OutboundReply {
  readonly status: number;
  /** One header by its lower-case name; the first where it repeats. */
  header(name: string): string | null;
  readonly body: OutboundBody;
}

/** The bytes of an answer. Reading drives the connection: a paused reader pauses the sender. */
export interface OutboundBody {
  /** The bytes since the last read, in order; null at the end. Rejects with `OutboundError`. One read at a time. */
  read(): Promise<readonly Uint8Array[] | null>;
  /** The whole answer as UTF-8. */
  text(): Promise<string>;
  /** Reports that the bytes read were progress: the idle time starts again. `text` does so by itself. */
  progressed(): void;
  /** Ends the call now and closes its connection. Has no effect on an ended call. */
  abort(): void;
}

/** A segment of dots, before which a server may put another one; blanks, a fragment, a backslash. */
const FOREIGN = /[\s#\\]|(?:^|\/)\.{1,2}(?:[/?]|$)/;

/**
 * `https://host/v1` and `/chat/completions` as one address, `query` after what `path` has of one; drops a query in the
 * base. Throws on an invalid URL, and for a path that a server may read as another one.
 */
export function outboundUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): OutboundUrl {
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${base}: the protocol must be http or https`);
  if (FOREIGN.test(path)) throw new TypeError('the path leaves its base');
  const search = new URLSearchParams(query).toString();
  const joint = search === '' ? '' : path.includes('?') ? '&' : '?';
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') + path + joint + search };
}
