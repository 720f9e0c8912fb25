import type { Dialect } from '../../dialects/dialect.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';
import type { Route } from '../http/route.ts';
import { answerTurn } from './answer-turn.ts';

/** The inference route of one dialect. */
export function turnRoute(path: string, dialect: Dialect): Route {
  return {
    method: 'POST',
    path,
    policy: 'admit',
    body: 'json',
    answer: (context, edge) => answerTurn(edge, dialect, context),
  };
}

/** The inference routes, one for each dialect. (spec: inference, Endpoints) */
export const turnRoutes: readonly Route[] = [
  turnRoute('/chat/completions', DIALECTS.chat),
  turnRoute('/completions', DIALECTS.completions),
  turnRoute('/messages', DIALECTS.messages),
  turnRoute('/responses', DIALECTS.responses),
  turnRoute('/embeddings', DIALECTS.embeddings),
];
