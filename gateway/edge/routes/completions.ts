import type { FastifyInstance } from 'fastify';
import { completionDialect } from '../../dialects/completions/completion-dialect.ts';
import { parse } from '../../dialects/completions/parse.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { answerTurn, type ParseRequest } from './answer-turn.ts';

/** `POST /completions`. (spec: inference, Text completion) */
export function registerCompletions(app: FastifyInstance, routes: EdgeRoutes): void {
  app.post('/completions', { onRequest: routes.gate.guard('key') }, (request, reply) =>
    answerTurn(routes, parseCompletion, request, reply),
  );
}

const parseCompletion: ParseRequest = (body, session) => {
  const { turn, echo } = parse(body, session);
  return { turn, dialect: completionDialect(echo) };
};
