/**
 * How nodes speak to each other. A transport carries batches of envelopes and small control texts over one link per
 * ordered pair of nodes, in order, at most once. It knows no shard, no membership and no actor: it never retries,
 * reroutes or answers by itself.
 */

/**
 * One message between actors of two nodes. `ask` and `tell` travel from the dialler, `reply` and `failure` back.
 * Body is JSON text: the event, the reply's body, or the failure (`AskFailure`).
 */
export interface Envelope {
  readonly kind: 'ask' | 'tell' | 'reply' | 'failure';
  /** Chosen by the asker, unique among the open asks of one link; 0 for a tell. */
  readonly id: number;
  /** Address of the actor; empty for answers. */
  readonly to: string;
  readonly body: string;
  /** What is left of the deadline, whole ms, when the envelope is queued. Never an absolute time. */
  readonly remainingMs: number;
  /** Trace id of the caller, or empty. */
  readonly trace: string;
}

/** What one build tells of its kinds: the chart versions it loads (`loads` to `version`) and writes. */
export type AnnouncedCharts = Readonly<
  Record<string, { readonly loads: number; readonly writes: number; readonly version: number }>
>;

/** Who dials, as it says itself; judged by the other end before any traffic. */
export interface Hello {
  /** Chart versions of the caller's build, by kind. Absent: its build does not tell. */
  readonly charts?: AnnouncedCharts;
  readonly name: string;
  readonly incarnation: string;
  readonly shards: number;
  readonly wireMajor: number;
  readonly configDigest: string;
  /** Proves the cluster secret without showing it. */
  readonly proof: string;
}

/** What the accepting end says of itself. */
export interface Welcome {
  readonly charts?: AnnouncedCharts;
  readonly name: string;
  readonly incarnation: string;
  readonly proof: string;
}

/** What one end of a link hears from the other. Nothing is called after `closed`. */
export interface LinkReceiver {
  envelopes(batch: readonly Envelope[]): void;
  control(text: string): void;
  /** The link is over. `unsent` were queued here and certainly never written; the rest is unknown. */
  closed(reason: string, unsent: readonly Envelope[]): void;
}

/** One end of an open link. */
export interface Link {
  readonly peer: string;
  /**
   * Queues one envelope; it leaves with its batch. `full` when the outgoing buffer is at its bound, `closed` when the
   * link is over; in both cases it was not taken. Throws EnvelopeTooLarge.
   */
  send(envelope: Envelope): 'queued' | 'full' | 'closed';
  /** Sends a control text at once; false when the link is over. */
  control(text: string): boolean;
  /** Ends the link; the ear's `closed` follows with this reason. Harmless when it is over. */
  close(reason: string): void;
}

/** How a node receives callers. */
export interface TransportListener {
  /** What a probe is answered. */
  readonly incarnation: string;
  /** Judges a caller: a reason to refuse it, or the welcome. */
  admit(hello: Hello): { readonly refused: string } | { readonly welcome: Welcome };
  /** A link both ends agreed on; returns who hears its traffic. */
  accepted(hello: Hello, link: Link): LinkReceiver;
}

/** The answer of a port: nobody listens, this incarnation lives there, or no answer in time. */
export type ProbeResult = 'refused' | 'silent' | { readonly incarnation: string };

export interface Transport {
  /** Listens on host:port (port 0 takes a free one) and returns the bound address. Rejects when it cannot. */
  listen(address: string, door: TransportListener): Promise<string>;
  /**
   * Opens a link. `hear` gets it at once when both ends agreed, in the same turn and before anything it carries, and
   * says who hears it; what it throws ends the link and is the rejection. Rejects with LinkRefused when the other end
   * said no, LinkFailed when it was not reached in time or is not whom its certificate names.
   */
  dial(
    address: string,
    hello: Hello,
    hear: (link: Link, welcome: Welcome) => LinkReceiver,
  ): Promise<{ readonly link: Link; readonly welcome: Welcome }>;
  /** Asks a port who it is, on a connection of its own. Never rejects. */
  probe(address: string, withinMs: number): Promise<ProbeResult>;
  /** Ends every link and the listener at once, without goodbye. */
  close(): Promise<void>;
}

/** The other end looked at the hello and said no. */
export class LinkRefused extends Error {
  override readonly name = 'LinkRefused';
}

/** The other end was not reached, or went away during the handshake. */
export class LinkFailed extends Error {
  override readonly name = 'LinkFailed';
  /** True when nobody listens on that port. */
  readonly refusedByPort: boolean;
  constructor(message: string, refusedByPort: boolean) {
    super(message);
    this.refusedByPort = refusedByPort;
  }
}

/** The sender's mistake: one envelope beyond `envelopeBytesMax`. */
export class EnvelopeTooLarge extends Error {
  override readonly name = 'EnvelopeTooLarge';
  constructor(bytes: number, bytesMax: number) {
    super(`an envelope of ${bytes} bytes exceeds the bound of ${bytesMax}`);
  }
}

/** Bounds of a transport, from the configuration. */
export interface TransportLimits {
  readonly envelopesPerFrameMax: number;
  readonly frameBytesMax: number;
  readonly envelopeBytesMax: number;
}

/** What a node shows to its peers where they speak TLS: PEM texts. */
export interface Identity {
  /** The certificates of the cluster's own authority. */
  readonly ca: string;
  /** The node's own, whose subject alternative names hold the node's name; intermediates behind it. */
  readonly certificate: string;
  readonly key: string;
}

/** A further service for a transport whose server can carry it (gRPC); others ignore it. */
export interface SideService {
  readonly definition: unknown;
  readonly implementation: unknown;
}
