import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import type { AccountFeeds } from '../../edge/events/account-feeds.ts';
import { parseCursor } from '../../edge/events/cursor.ts';
import { parseFilter } from '../../edge/events/event-filter.ts';
import { nameAnswer } from '../../edge/generation-headers.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { EventStream, type EventStreamLimits } from '../../http/event-stream.ts';
import type { EventLimits } from '../../terms/config/config.ts';
import { StreamSink } from './stream-sink.ts';

export interface EventParts {
  readonly cluster: Pick<Cluster, 'now'>;
  readonly clock: Clock;
  readonly limits: EventStreamLimits;
  readonly events: EventLimits;
  readonly feeds: AccountFeeds;
  /** Follows the account over the WebSocket that the request offers. */
  readonly overSocket: (context: RequestContext) => Promise<null>;
}

/**
 * `GET /events`: what changes in the caller's account, as server-sent events, from the moment of the request or from a
 * cursor (`cursor`, or `Last-Event-ID` of a client that reconnects). Query: `types` and `ids`, repeatable or separated
 * by commas. Offered an upgrade, the route is a WebSocket whose client subscribes with frames.
 */
export function eventRoute(parts: EventParts): Route {
  return {
    method: 'GET',
    path: '/events',
    policy: 'key',
    body: 'none',
    upgrades: true,
    answer: (context) => (context.upgrade === null ? follow(context, parts) : parts.overSocket(context)),
  };
}

async function follow(context: RequestContext, parts: EventParts): Promise<null> {
  const query = new URLSearchParams(context.query);
  const filter = parseFilter(listOf(query, 'types'), listOf(query, 'ids'));
  const text = query.get('cursor') ?? context.request.headers['last-event-id'];
  const cursorAt = typeof text === 'string' && text !== '' ? parseCursor(text) : null;
  const sink = new StreamSink(context.response, parts.events.bufferBytesMax);
  const subscription = await parts.feeds.subscribe(callerOf(context), filter, sink);
  // The stream waits for changes.
  context.place?.leave();
  await sink.run(
    subscription,
    () => {
      nameAnswer(context.response, context.id);
      return new EventStream(context.response, parts.clock, parts.limits, TEXTS);
    },
    { cursorAt, now: parts.cluster.now() },
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
