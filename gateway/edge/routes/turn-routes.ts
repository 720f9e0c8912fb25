import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { isJson } from '../body/read-body.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { answerTurn } from './answer-turn.ts';
import { chatCompletions } from './chat-completions.ts';
import { completions } from './completions.ts';
import type { ParseRequest, TurnRoute } from './turn-route.ts';

const TURN_ROUTES: readonly TurnRoute[] = [chatCompletions, completions];

/** The inference routes as any other of the framework's: whatever spelling of the path it takes for theirs. */
export function registerTurns(app: FastifyInstance, routes: EdgeRoutes): void {
  for (const { path, parse } of TURN_ROUTES) {
    app.post(path, { onRequest: routes.gate.guard('key') }, (request, reply) => {
      reply.hijack();
      void answerTurn(routes, parse, request.raw, reply.raw);
    });
  }
}

/**
 * The same routes for what nearly every request for inference is: a POST of JSON to the very path. It takes the same
 * steps past the framework, whose objects, hooks and content type parser were a seventh of the edge's own CPU per request
 * (measured). False where the request is another, and untouched.
 */
export function directTurns(
  prefix: string,
  routes: EdgeRoutes,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const parses = new Map(TURN_ROUTES.map(({ path, parse }) => [`${prefix}${path}`, parse]));
  return (request, response) => {
    const parse = request.method === 'POST' ? parses.get(request.url ?? '') : undefined;
    if (parse === undefined || !isJson(request.headers['content-type'])) return false;
    enter(routes, parse, request, response);
    return true;
  };
}

function enter(routes: EdgeRoutes, parse: ParseRequest, request: IncomingMessage, response: ServerResponse): void {
  const { gate } = routes;
  const refuse = (thrown: unknown): Promise<void> => gate.refuse(thrown, request, response);
  try {
    const pending = gate.enter(request, 'key');
    if (pending === null) void answerTurn(routes, parse, request, response);
    else void pending.then(() => answerTurn(routes, parse, request, response), refuse);
  } catch (thrown) {
    void refuse(thrown);
  }
}
