import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { parseCursor } from '../../edge/events/cursor.ts';
import { parseFilter } from '../../edge/events/event-filter.ts';
import { nameAnswer } from '../../edge/generation-headers.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { EventStream } from '../../http/event-stream.ts';
import { acceptUpgrade } from '../../http/upgrade.ts';
import { EVENT_FRAME_BYTES_MAX, EventSocket } from '../../sockets/event-socket.ts';
import { StreamSink } from './stream-sink.ts';

/**
 * `GET /events`: what changes in the caller's account, as server-sent events, from the moment of the request or from a
 * cursor (`cursor`, or `Last-Event-ID` of a client that reconnects). Query: `types` and `ids`, repeatable or separated
 * by commas. Offered an upgrade, the route is a WebSocket whose client subscribes with frames.
 */
export const eventRoute: Route = {
  method: 'GET',
  path: '/events',
  policy: 'key',
  body: 'none',
  upgrades: true,
  answer: (context, edge) => (context.upgrade === null ? follow(context, edge) : followOverSocket(context, edge)),
};

/** Nothing, until the client subscribes. */
const NOTHING = { types: new Set<string>(), ids: null } as const;

async function followOverSocket(context: RequestContext, { services, feeds }: EdgeRoutes): Promise<null> {
  const { clock, cluster, limits, events: eventLimits } = services;
  const events = new EventSocket({ clock, limits, events: eventLimits, now: () => cluster.now() });
  const subscription = await feeds.subscribe(callerOf(context), NOTHING, events);
  try {
    acceptUpgrade(context, EVENT_FRAME_BYTES_MAX, (socket, upgrade) => events.open(socket, upgrade, subscription));
  } finally {
    // The handshake failed, or the client has left.
    if (!events.isOpen) subscription.close();
  }
  return null;
}

async function follow(context: RequestContext, { services, feeds }: EdgeRoutes): Promise<null> {
  const query = new URLSearchParams(context.query);
  const filter = parseFilter(listOf(query, 'types'), listOf(query, 'ids'));
  const text = query.get('cursor') ?? context.request.headers['last-event-id'];
  const cursorAt = typeof text === 'string' && text !== '' ? parseCursor(text) : null;
  const sink = new StreamSink(context.response, services.events.bufferBytesMax);
  const subscription = await feeds.subscribe(callerOf(context), filter, sink);
  // The stream waits for changes.
  context.place?.leave();
  await sink.run(
    subscription,
    () => {
      nameAnswer(context.response, context.id);
      return new EventStream(context.response, services.clock, services.limits, TEXTS);
    },
    { cursorAt, now: services.cluster.now() },
  );
  return null;
}

const TEXTS = { opening: ': connected\n\n', keepAlive: () => ': keep-alive\n\n' } as const;

function listOf(query: URLSearchParams, name: string): readonly string[] {
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '');
}
