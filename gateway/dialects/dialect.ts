import type { Turn } from '../terms/turn.ts';
import type { ErrorEnvelope } from './reply/error-envelope.ts';
import type { ReplyDialect } from './reply/reply-dialect.ts';

/** What a dialect makes of a body: the turn, and how the answer to this very request is written. */
export interface ParsedRequest {
  readonly turn: Turn;
  readonly reply: ReplyDialect;
}

/** One dialect of the API, whatever carries its bodies: HTTP, or a batch. */
export interface Dialect {
  /** `body` is any JSON value, and is not changed; `session` is `X-Session-Id`. Throws the refusal. */
  parse(body: unknown, session: string | null): ParsedRequest;
  /**
   * How a request is refused before its answer began. `streamed`: its body asks for a stream, whether the rest of it can be
   * parsed or not. A stream that has begun is broken off by `ReplyFrames` instead. (spec: inference, Errors 3-5)
   */
  errorEnvelope(streamed: boolean): ErrorEnvelope;
}
