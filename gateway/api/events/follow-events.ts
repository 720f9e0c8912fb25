import { Type } from 'typebox';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import type { AccountFeeds } from '../../edge/events/account-feeds.ts';
import { parseCursor } from '../../edge/events/cursor.ts';
import { parseFilter } from '../../edge/events/event-filter.ts';
import { nameAnswer } from '../../edge/generation-headers.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { EventStream, type EventStreamLimits } from '../../http/event-stream.ts';
import type { EventLimits } from '../../terms/config/config.ts';
import type { Operations } from '../wire/operation.ts';
import { feedEventSchema } from './event-schema.ts';
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

/** What the document says of the routes. */
export const EVENT_OPERATIONS: Operations = {
  'GET /events': {
    key: 'inference',
    summary: 'Changes of the account as they become durable',
    description:
      'Server-sent events about batches, videos, files, keys and the balance; over a WebSocket where it is offered.',
    answers: 'A stream of events, until the client leaves or an event `error` ends it.',
    query: {
      types: Type.String({ description: 'Only events of these types or kinds, separated by commas.' }),
      ids: Type.String({ description: 'Only events of these objects, separated by commas.' }),
      cursor: Type.String({ description: 'Resumes behind the event that named this cursor.' }),
    },
    frame: { FeedEvent: feedEventSchema },
  },
};

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
