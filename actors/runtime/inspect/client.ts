import {
  type Channel,
  type ClientReadableStream,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { AskError, type AskFailure } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import type { ActorsPage, ActorsQuery, AskOptions, ClusterView } from '../cluster/cluster.ts';
import type { CommittedStep, Inspection, Reloaded } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { RowQuery, RowRecord } from '../ports/store.ts';
import { systemClock } from '../system/clock.ts';
import { loadService } from '../transports/grpc/proto.ts';
import { channelCredentials, SERVER_NAME, type Tls } from '../transports/grpc/tls.ts';
import { TOKEN } from './service.ts';

const CALL_MS = 10_000;
/** The node itself waits for the actor, also through a takeover of its shard. */
const RESUME_MS = 2 * CALL_MS;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** A node refused the operator or was not reached. The message names the remedy where there is one. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** True for a wrong or missing token. */
  readonly unauthenticated: boolean;
  /** True if no connection was made: the call had no effect, and another node can be tried. */
  readonly unreached: boolean;
  constructor(message: string, { unauthenticated = false, unreached = false, cause = undefined as unknown } = {}) {
    super(message, { cause });
    this.unauthenticated = unauthenticated;
    this.unreached = unreached;
  }
}

/** The operator's access to a cluster through one of its nodes. Every call rejects with OperatorError. */
export interface OperatorClient {
  /**
   * Connects. Rejects if the host gives no answer within this time; a refused connection is the error of the first
   * call, which says why.
   */
  reach(withinMs: number): Promise<void>;
  ps(): Promise<ClusterView>;
  inspect(address: string): Promise<Inspection | null>;
  /** The explanation of the actor's state by its kind; null when there is no such actor. */
  why(address: string): Promise<readonly string[] | null>;
  /**
   * Calls `see` with every committed step until the returned function is called; `ended` receives the reason when the
   * node ends the stream.
   */
  watch(pattern: string, see: (step: CommittedStep) => void, ended?: (error: OperatorError) => void): () => void;
  /** Loads a quarantined actor again. */
  reload(address: string): Promise<Reloaded>;
  drain(node: string): Promise<void>;
  /** Steps a dead letter once more, or drops it; false when there is no dead letter of this id. */
  retry(address: string, id: string): Promise<boolean>;
  skip(address: string, id: string): Promise<boolean>;
  /** Rows read directly from the store, bodies as stored. */
  rows(query: RowQuery): Promise<readonly RowRecord[]>;
  /** One row of any actor by its id; null without one. */
  rowById(collection: string, id: string): Promise<RowRecord | null>;
  /** A page of stored actors; no actor is loaded. */
  actors(query: ActorsQuery): Promise<ActorsPage>;
  /** Rejects with AskError when the actor did not answer. */
  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json>;
  close(): void;
}

type Unary = (
  request: object,
  metadata: Metadata,
  options: { deadline: number },
  answer: (error: ServiceError | null, reply: unknown) => void,
) => void;

type Methods = Record<
  'Ps' | 'Inspect' | 'Why' | 'Reload' | 'Drain' | 'Retry' | 'Skip' | 'Rows' | 'RowById' | 'Actors' | 'Ask',
  Unary
> & {
  Watch(request: object, metadata: Metadata): ClientReadableStream<{ json: string }>;
};

/**
 * `address` is the gRPC address of any node, `tls` the client identity where its cluster uses TLS. Connects with the
 * first call.
 */
export function connectOperator(
  address: string,
  token: string,
  { tls, clock = systemClock }: { readonly tls?: Tls | undefined; readonly clock?: Clock } = {},
): OperatorClient {
  const Service = loadService('operator.proto', 'troupe.operator', 'Operator');
  const client = new Service(address, channelCredentials(tls), {
    ...SERVER_NAME,
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
  });
  const methods = client as unknown as Methods;
  const metadata = new Metadata();
  metadata.set(TOKEN, token);
  const call = <A>(method: Exclude<keyof Methods, 'Watch'>, request: object, withinMs = CALL_MS): Promise<A> =>
    new Promise((resolve, reject) => {
      methods[method](request, metadata, { deadline: clock.now() + withinMs }, (error, reply) => {
        if (error) reject(errorOf(address, error));
        else resolve(reply as A);
      });
    });
  return {
    reach: async (withinMs) => {
      if (await answers(client.getChannel(), clock.now() + withinMs)) return;
      throw new OperatorError(`no node answers at ${address} within ${withinMs} ms`, { unreached: true });
    },
    ps: () => parsed<ClusterView>(call('Ps', {})),
    inspect: (actor) => parsed<Inspection | null>(call('Inspect', { address: actor })),
    why: (actor) =>
      call<{ lines: readonly string[] }>('Why', { address: actor }).then(
        (reply) => reply.lines,
        (error: OperatorError) => {
          if ((error.cause as ServiceError | undefined)?.code === status.NOT_FOUND) return null;
          throw error;
        },
      ),
    watch(pattern, see, ended) {
      const stream = methods.Watch({ pattern }, metadata);
      let open = true;
      stream.on('data', ({ json }) => see(JSON.parse(json)));
      stream.on('error', (error: ServiceError) => {
        if (open) ended?.(errorOf(address, error));
        open = false;
      });
      return () => {
        open = false;
        stream.cancel();
      };
    },
    reload: (actor) => parsed<Reloaded>(call('Reload', { address: actor })),
    drain: async (node) => void (await call('Drain', { node })),
    retry: async (actor, id) => (await call<{ found: boolean }>('Retry', { address: actor, id }, RESUME_MS)).found,
    skip: async (actor, id) => (await call<{ found: boolean }>('Skip', { address: actor, id }, RESUME_MS)).found,
    rows: (query) => parsed<readonly RowRecord[]>(call('Rows', { queryJson: JSON.stringify(query) })),
    rowById: (collection, id) => parsed<RowRecord | null>(call('RowById', { collection, id })),
    actors: (query) => parsed<ActorsPage>(call('Actors', { queryJson: JSON.stringify(query) })),
    ask: async (to, event, { withinMs }) => {
      const request = { address: to, eventJson: JSON.stringify(event), withinMs };
      const reply = await call<{ bodyJson?: string; failureJson?: string; outcome: string }>(
        'Ask',
        request,
        withinMs + CALL_MS,
      );
      if (reply.failureJson) throw new AskError(to, JSON.parse(reply.failureJson) as AskFailure);
      return JSON.parse(reply.bodyJson ?? 'null') as Json;
    },
    close: () => client.close(),
  };
}

async function parsed<T>(reply: Promise<{ readonly json: string }>): Promise<T> {
  return JSON.parse((await reply).json) as T;
}

type Connectivity = Pick<Channel, 'getConnectivityState' | 'watchConnectivityState'>;

/** False if the channel is neither connected nor refused at the deadline. */
function answers(channel: Connectivity, deadline: number): Promise<boolean> {
  const state = channel.getConnectivityState(true);
  if (state === connectivityState.READY || state === connectivityState.TRANSIENT_FAILURE) return Promise.resolve(true);
  return new Promise((resolve) => {
    channel.watchConnectivityState(state, deadline, (late) => resolve(late ? false : answers(channel, deadline)));
  });
}

function errorOf(address: string, error: ServiceError): OperatorError {
  const unauthenticated = error.code === status.UNAUTHENTICATED;
  const unreached = error.code === status.UNAVAILABLE && /ECONNREFUSED|connection/i.test(error.details);
  const why = /ECONNREFUSED/.test(error.details) ? ': is the cluster running?' : ` (${error.details})`;
  const message = unreached ? `no node answers at ${address}${why}` : error.details;
  return new OperatorError(message, { unauthenticated, unreached, cause: error });
}
