import type { Route } from '../http/route.ts';
import { answerTurn } from './answer-turn.ts';
import { chatCompletions } from './chat-completions.ts';
import { completions } from './completions.ts';
import type { TurnRoute } from './turn-route.ts';

const TURN_ROUTES: readonly TurnRoute[] = [chatCompletions, completions];

/** The inference routes, one for each dialect. */
export const turnRoutes: readonly Route[] = TURN_ROUTES.map(({ path, parse }) => ({
  method: 'POST',
  path,
  policy: 'admit',
  body: 'json',
  answer: (context, edge) => answerTurn(edge, parse, context),
}));
