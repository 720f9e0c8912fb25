import type { Turn } from '../../terms/turn.ts';
import type { ErrorEnvelope } from './error-envelope.ts';
import type { ReplyDialect } from './reply-dialect.ts';

/** A parsed body: the turn, and the dialect that writes the answer to this request. */
export interface ParsedRequest {
  readonly turn: Turn;
  readonly reply: ReplyDialect;
}

/** One dialect of the API, for bodies of HTTP requests and of batch lines. */
export interface Dialect {
  /** The members of a body that it reads, or accepts knowing that they have no effect. */
  readonly members: ReadonlySet<string>;
  /** `body` is any JSON value, and is not changed; `session` is `X-Session-Id`. Throws the refusal. */
  parse(body: unknown, session: string | null): ParsedRequest;
  /**
   * Writes refusals of a request before its answer begins. `streamed`: the body asks for a stream, even if the rest of
   * it cannot be parsed. A stream that has begun is ended by `ReplyFrames` instead. (rule I57, rule I82, rule I89)
   */
  errorEnvelope(streamed: boolean): ErrorEnvelope;
}
