/**
 * The transport between nodes: it carries batches of envelopes and small control texts over one link per ordered pair
 * of nodes, in order, at most once. It has no concept of shards, membership or actors, and it never retries, reroutes
 * or answers by itself.
 */
import type { RuntimeLimits } from './limits.ts';

/**
 * One message between actors of two nodes. `ask` and `tell` travel from the dialler to the other end, `reply` and
 * `failure` back. Body is JSON text: the event, the reply's body, or the failure (`AskFailure`).
 */
export interface Envelope {
  readonly kind: 'ask' | 'tell' | 'reply' | 'failure';
  /** Chosen by the asker, unique among the open asks of one link; 0 for a tell. */
  readonly id: number;
  /** Address of the actor; empty for answers. */
  readonly to: string;
  readonly body: string;
  /**
   * Time left until the deadline, whole ms, when the envelope is queued; relative, because nodes do not share a clock.
   */
  readonly remainingMs: number;
  /** Trace id of the asking request, or empty. */
  readonly trace: string;
}

/** The kinds of one build: the chart versions it loads (`loads` to `version`) and the one it writes. */
export type AnnouncedCharts = Readonly<
  Record<string, { readonly loads: number; readonly writes: number; readonly version: number }>
>;

/** The identity that a dialling node claims; the other end verifies it before any traffic. */
export interface Hello {
  /** Chart versions of the dialling build, by kind. */
  readonly charts: AnnouncedCharts;
  readonly name: string;
  readonly incarnation: string;
  readonly shards: number;
  readonly wireMajor: number;
  readonly configDigest: string;
  /** Proof of the cluster secret that does not reveal the secret. */
  readonly proof: string;
}

/** The identity of the accepting end. */
export interface Welcome {
  readonly charts: AnnouncedCharts;
  readonly name: string;
  readonly incarnation: string;
  readonly proof: string;
}

/** Receives the traffic of one end of a link. No method is called after `closed`. */
export interface LinkReceiver {
  envelopes(batch: readonly Envelope[]): void;
  control(text: string): void;
  /**
   * The link is over. `unsent` envelopes were queued here and certainly never written; the fate of all others is
   * unknown.
   */
  closed(reason: string, unsent: readonly Envelope[]): void;
}

/** One end of an open link. */
export interface Link {
  readonly peer: string;
  /**
   * Queues one envelope; it leaves with its batch. `full`: the outgoing buffer is at its bound. `closed`: the link is
   * over. In both cases the envelope was not queued. Throws EnvelopeTooLarge.
   */
  send(envelope: Envelope): 'queued' | 'full' | 'closed';
  /** Sends a control text at once; false when the link is over. */
  control(text: string): boolean;
  /** Ends the link and calls the receiver's `closed` with this reason. A no-op once the link is over. */
  close(reason: string): void;
}

/** Accepts the links of other nodes. */
export interface TransportListener {
  /** The answer to a probe. */
  readonly incarnation: string;
  /** Judges the hello of a dialling node: a reason to refuse it, or the welcome. */
  admit(hello: Hello): { readonly refused: string } | { readonly welcome: Welcome };
  /** Called with a link that both ends accepted; returns the receiver of its traffic. */
  accepted(hello: Hello, link: Link): LinkReceiver;
}

/** The answer of a port: refused (no listener), the incarnation behind it, or silent (no answer in time). */
export type ProbeResult = 'refused' | 'silent' | { readonly incarnation: string };

export interface Transport {
  /** Listens on host:port (port 0 takes a free one) and returns the bound address. Rejects when it cannot. */
  listen(address: string, listener: TransportListener): Promise<string>;
  /**
   * Opens a link. When both ends have accepted, `attach` is called in the same turn, before any traffic of the link,
   * and returns the receiver; an error that it throws ends the link and rejects the dial. Rejects with LinkRefused when
   * the other end refused the hello, and with LinkFailed when it was not reached in time or its certificate does not
   * bear its name.
   */
  dial(
    address: string,
    hello: Hello,
    attach: (link: Link, welcome: Welcome) => LinkReceiver,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }>;
  /** Requests the incarnation behind a port, on a connection of its own. Never rejects. */
  probe(address: string, withinMs: number): Promise<ProbeResult>;
  /** Ends every link and the listener immediately. */
  close(): Promise<void>;
}

/** The other end refused the hello. */
export class LinkRefused extends Error {
  override readonly name = 'LinkRefused';
}

/** The other end was not reached, or was lost during the handshake. */
export class LinkFailed extends Error {
  override readonly name = 'LinkFailed';
  /** True when the port has no listener. */
  readonly refusedByPort: boolean;
  constructor(message: string, refusedByPort: boolean) {
    super(message);
    this.refusedByPort = refusedByPort;
  }
}

/** A mistake of the sender: one envelope of more than `envelopeBytesMax` bytes. */
export class EnvelopeTooLarge extends Error {
  override readonly name = 'EnvelopeTooLarge';
  constructor(bytes: number, bytesMax: number) {
    super(`an envelope of ${bytes} bytes exceeds the bound of ${bytesMax}`);
  }
}

/** Bounds of a transport, from the configuration. */
export type TransportLimits = Pick<RuntimeLimits, 'envelopesPerFrameMax' | 'frameBytesMax' | 'envelopeBytesMax'>;

/** The TLS identity of a node: PEM texts. */
export interface Identity {
  /** The certificates of the cluster's own certificate authority. */
  readonly ca: string;
  /** The node's certificate, whose subject alternative names contain the node's name, followed by its intermediates. */
  readonly certificate: string;
  readonly key: string;
}

/** A header of a call by its name; undefined without one. */
export type Headers = (name: string) => unknown;
