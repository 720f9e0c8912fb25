import type { FastifyInstance } from 'fastify';
import { chatDialect } from '../../dialects/chat/chat-dialect.ts';
import { parse } from '../../dialects/chat/parse.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { answerTurn, type ParseRequest } from './answer-turn.ts';

/** `POST /chat/completions`. (spec: inference, Chat completion request) */
export function registerChatCompletions(app: FastifyInstance, routes: EdgeRoutes): void {
  app.post('/chat/completions', { onRequest: routes.gate.guard('key') }, (request, reply) =>
    answerTurn(routes, parseChat, request, reply),
  );
}

const parseChat: ParseRequest = (body, session) => {
  const turn = parse(body, session);
  return { turn, dialect: chatDialect(turn) };
};
