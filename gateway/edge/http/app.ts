import type { IncomingMessage, ServerResponse } from 'node:http';
import fastify from 'fastify';
import { generationId } from '../../../actors/terms/ids.ts';
import { registerRoutes } from '../routes/register-routes.ts';
import { directTurns } from '../routes/turn-routes.ts';
import { visitOf } from '../visit.ts';
import type { EdgeRoutes } from './edge-routes.ts';
import { noSuchRoute } from './gate.ts';
import { nameAnswer } from './generation-headers.ts';
import { Listener } from './listener.ts';

const PREFIX = '/api/v1';
/** Catalogue ids are longer than the router's own bound on one path segment. */
const SEGMENT_CHARACTERS_MAX = 512;

/**
 * The API's routes on a listener of our own. The framework routes and nothing else: it parses no body, validates
 * nothing behind our back, adds no HEAD routes, and does not refuse while a node drains. (DESIGN, section 9)
 */
export async function openApp(routes: EdgeRoutes): Promise<Listener> {
  const { services, gate } = routes;
  const generation = (): string => generationId(services.random, services.clock.now());
  const direct = directTurns(PREFIX, routes);
  let listener: Listener | undefined;
  const app = fastify({
    serverFactory: (handler) => {
      const framework = handler as (request: IncomingMessage, response: ServerResponse) => void;
      const serve = (request: IncomingMessage, response: ServerResponse): void => {
        if (direct(request, response)) return;
        nameAnswer(response, visitOf(request).id);
        framework(request, response);
      };
      listener = new Listener({ limits: services.limits, clock: services.clock, generation, serve });
      return listener.server;
    },
    logger: false,
    requestIdHeader: false,
    genReqId: (request) => visitOf(request as IncomingMessage).id,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // The listener answers these in our envelope.
    clientErrorHandler: () => {},
    frameworkErrors: (_error, request, reply) => void gate.refuseReply(noSuchRoute(request), request, reply),
    routerOptions: { maxParamLength: SEGMENT_CHARACTERS_MAX, ignoreTrailingSlash: false, caseSensitive: true },
  });
  app.setValidatorCompiler(() => () => true);
  app.removeAllContentTypeParsers();
  // Bodies are read by the routes, in their own bounds, after the credential.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => gate.refuseReply(error, request, reply));
  app.setNotFoundHandler({ preHandler: gate.guard('open') }, (request) => {
    throw noSuchRoute(request);
  });
  await app.register(async (api) => registerRoutes(api, routes), { prefix: PREFIX });
  await app.ready();
  if (!listener) throw new Error('the framework made no server');
  return listener;
}
