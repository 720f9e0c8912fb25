import type { ReplyDialect } from '../../dialects/reply/reply-dialect.ts';
import type { Turn } from '../../terms/turn.ts';

/** What a dialect makes of a body: the turn, and the writing of its answer. Throws the refusal. */
export type ParseRequest = (
  body: unknown,
  session: string | null,
) => { readonly turn: Turn; readonly dialect: ReplyDialect };

/** A route for inference, below the prefix of the API; always a POST. */
export interface TurnRoute {
  readonly path: string;
  readonly parse: ParseRequest;
}
