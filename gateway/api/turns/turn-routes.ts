import { DIALECTS } from '../../dialects/dialect-table.ts';
import type { Dialect } from '../../dialects/reply/dialect.ts';
import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { AnswerParts } from '../../edge/turns/answer-parts.ts';
import { answerTurn } from '../../edge/turns/answer-turn.ts';

/** The inference route of one dialect. */
export function turnRoute(path: string, dialect: Dialect, parts: AnswerParts): Route {
  return {
    method: 'POST',
    path,
    policy: 'admit',
    body: 'json',
    answer: (context) => answerTurn(parts, dialect, context, takeBody(context)),
  };
}

/**
 * The inference routes. Image generation has a path for each of the two APIs that clients know it from. (rule I6,
 * rule I100)
 */
export function turnRoutes(parts: AnswerParts): readonly Route[] {
  const route = (path: string, dialect: Dialect): Route => turnRoute(path, dialect, parts);
  return [
    route('/chat/completions', DIALECTS.chat),
    route('/completions', DIALECTS.completions),
    route('/messages', DIALECTS.messages),
    route('/responses', DIALECTS.responses),
    route('/images/generations', DIALECTS.images),
    route('/images', DIALECTS.images),
    route('/embeddings', DIALECTS.embeddings),
  ];
}
