import type { Dialect } from '../../dialects/dialect.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';
import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { answerTurn } from '../../edge/turns/answer-turn.ts';

/** The inference route of one dialect. */
export function turnRoute(path: string, dialect: Dialect): Route {
  return {
    method: 'POST',
    path,
    policy: 'admit',
    body: 'json',
    answer: (context, edge) => answerTurn(edge, dialect, context, takeBody(context)),
  };
}

/**
 * The inference routes. Image generation has a path for each of the two APIs that clients know it from. (rule I6,
 * rule I100)
 */
export const turnRoutes: readonly Route[] = [
  turnRoute('/chat/completions', DIALECTS.chat),
  turnRoute('/completions', DIALECTS.completions),
  turnRoute('/messages', DIALECTS.messages),
  turnRoute('/responses', DIALECTS.responses),
  turnRoute('/images/generations', DIALECTS.images),
  turnRoute('/images', DIALECTS.images),
  turnRoute('/embeddings', DIALECTS.embeddings),
];
