import type { Endpoint, LoneOutput } from '../../actors/terms/endpoint.ts';
import type { CredentialForm, ReasoningHistory } from '../../actors/terms/wire.ts';
import type { OutboundUpload } from '../outbound/outbound.ts';
import type { Turn } from '../terms/turn.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import type { ModelList } from './model-list.ts';
import type { RefusalNote } from './refused.ts';

/** A body that is no JSON text: a form, or bytes. Its chunks are made as the connection takes them. */
export interface ProviderUpload extends OutboundUpload {
  /** The content type, with the boundary of a form. */
  readonly type: string;
}

/**
 * Renders a turn as the request body of one endpoint, in JSON or as an upload. `ceiling` is the token ceiling sent. Throws
 * `ProviderFailure`.
 */
export type BodyWriter = (turn: Turn, ceiling: number) => string | ProviderUpload;
export type TextWriter = (turn: Turn, ceiling: number) => string;

/**
 * One wire format of providers: where calls go and what authenticates them, how a turn is written in it and how its
 * answer is read. Stateless.
 */
export interface Adapter {
  /** Path and query of the calls to an endpoint, below its provider's base address. Asked once per endpoint. */
  address(target: Endpoint['target'], stream: boolean): string;
  /** The form in which providers of this wire take the operator's key, where no other is declared. */
  readonly credential: CredentialForm;
  /** Sent with every call, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where its providers list their models; absent: nowhere. */
  readonly models?: ModelList;
  /** The wire can say how many tokens the model may think: an effort becomes a share of the ceiling. */
  readonly takesBudget: boolean;
  /** It continues a text and serves no conversation. */
  readonly continuesText?: true;
  /**
   * What the body of a turn leaves out although the turn asks for it: names of settings, and of what the conversation
   * has. `honoured` reports them as false. `ceiling` is that of the body.
   */
  leftOut(turn: Turn, endpoint: Endpoint, ceiling: number): readonly string[];
  /** Prepares once, per endpoint, what does not depend on the turn. */
  writer(endpoint: Endpoint, learnt?: Learnt): BodyWriter;
  /**
   * For one answer. `makeCallId` makes an id for a tool call that the provider sent without one; `note` receives an
   * error instead of an answer; `asked` is the turn, where it decides what a valid answer is; `provider` is the slug of the
   * provider, where only that one can read what it encrypts.
   */
  reader(
    makeCallId: (index: number) => string,
    note?: RefusalNote,
    asked?: Turn,
    learnt?: Learnt,
    provider?: string,
  ): ReplyReader;
  /** How its streams are cut into frames; absent: server-sent events. */
  readonly framing?: Framing;
  /** An input of embeddings may be a list of token ids. */
  readonly takesTokenIds?: boolean;
  /** For endpoints with an output that is served alone, where the wire has a form of its own for it. */
  readonly alone?: { readonly [output in LoneOutput]?: Adapter };
  /** Brackets, braces, colons and commas of a whole reply; absent: the bound of answers in words. */
  readonly replyTokensMax?: number;
}

/**
 * How the answer of a stream is cut into frames. A frame has a name where the wire gives it one, and its data as text.
 */
export interface Framing {
  /** Content type of such an answer: it is asked for, and demanded. */
  readonly type: string;
  /** For one answer. `frameMax` bounds a frame: in characters for text, in bytes else. */
  cutter(onFrame: OnFrame, frameMax: number): FrameCutter;
}

/** Receives the frames in order. Never throws. */
export type OnFrame = (name: string | undefined, data: string) => void;

export interface FrameCutter {
  /** Takes the next bytes, cut anywhere. Throws `ProviderFailure` for bytes that are no frames of this kind. */
  feed(chunk: Uint8Array): void;
  /** The connection has ended: what is left is a frame where the wire needs no mark behind its last one. */
  end(): void;
}

/** What a node has learnt of an endpoint from its answers: one object for each endpoint, shared by its calls. */
export interface Learnt {
  /** The form in which it reasons; absent until it has. */
  reasonedIn?: ReasoningHistory;
}

/** What a frame of a stream is: a part of the answer, an ignored frame, or the terminator. */
export type FrameKind = 'part' | 'nothing' | 'end';

/**
 * Turns the answer of one provider into events and keeps the state across frames. Throws `ProviderFailure` for an
 * invalid answer; its messages never quote the provider.
 */
export interface ReplyReader {
  /** The finish reason has arrived; only the usage can follow. */
  readonly finished: boolean;
  /** The usage reported so far; later running totals replace earlier ones. */
  readonly usage: Usage;
  readonly upstreamId: string | null;
  /** Adds the events of one frame: its event name, undefined where it has none, and its data. */
  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind;
  /** Adds the events of an answer in one piece, which was parsed. */
  readWhole(answer: Readonly<Record<string, unknown>>, events: TurnEvent[]): void;
}

/** One call to one endpoint whose answer has begun. The same interface for every dialect. */
export interface ProviderAttempt {
  /** Upstream HTTP status. */
  readonly status: number;
  /** The provider's own id of the reply; null until it arrives. */
  readonly upstreamId: string | null;
  /** The usage reported so far; later running totals replace earlier ones. */
  readonly usage: Usage;
  /**
   * The parts that arrived since the last read, at least one; null at a clean end, which always follows `finish`.
   * Rejects with `ProviderFailure`. One read at a time.
   */
  read(): Promise<readonly TurnEvent[] | null>;
  /** Closes the connection now. A pending read rejects. */
  abort(): void;
}
