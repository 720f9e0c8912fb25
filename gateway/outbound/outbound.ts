/**
 * HTTP to providers as a port. One request, one answer, no redirect followed, no compression, every wait bounded by
 * the clock that was given in. Knows nothing of dialects; never logs a header.
 */
export interface Outbound {
  /** Sends at once. Resolves with the answer's head; rejects with `OutboundError`. */
  send(call: OutboundCall): Promise<OutboundReply>;
  /** Aborts what is under way and closes every connection. */
  close(): Promise<void>;
}

export interface OutboundCall {
  readonly method: 'GET' | 'POST';
  readonly url: OutboundUrl;
  /** Alternating names and values, lower case names; built by the caller once per provider where it can. */
  readonly headers: readonly string[];
  readonly body: string | null;
  readonly limits: OutboundLimits;
  /** Handed the way to call it off, before it is sent. Harmless at the end. */
  readonly begun?: ((abort: () => void) => void) | undefined;
}

/** An address taken apart once, so that a request costs no URL parsing. */
export interface OutboundUrl {
  readonly origin: string;
  readonly path: string;
}

/** Milliseconds, and the most bytes an answer may have. */
export interface OutboundLimits {
  /** Until the request is on a connection. */
  readonly connectMs: number;
  /** From there to the answer's head. */
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

/** The bytes of an answer. Reading drives the connection: what is not read stays with the sender. */
export interface OutboundBody {
  /** What has arrived since the last read, in order; null at the end. Rejects with `OutboundError`. One at a time. */
  read(): Promise<readonly Uint8Array[] | null>;
  /** The whole answer as UTF-8. */
  text(): Promise<string>;
  /** Says that what was read was worth something: the idle time starts again. `text` does so by itself. */
  progressed(): void;
  /** Ends the call now and closes its connection. Harmless at the end. */
  abort(): void;
}

/** `https://host/v1` and `/chat/completions` as one address; a query in the base stays out. Throws on a bad URL. */
export function outboundUrl(base: string, path: string): OutboundUrl {
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`${base}: http or https is needed`);
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') + path };
}
