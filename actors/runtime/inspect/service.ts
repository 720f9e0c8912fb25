import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { AskError } from '../actor/answer.ts';
import type { ActorEvent } from '../actor/event.ts';
import type { ActorsQuery, Operator } from '../cluster/cluster.ts';
import { same } from '../cluster/handshake.ts';
import { textOf } from '../ports/log.ts';
import type { RowQuery } from '../ports/store.ts';
import type { SideService } from '../ports/transport.ts';
import { loadService } from '../transports/grpc/proto.ts';

export const TOKEN = 'troupe-operator-token';
const ASK_MS_MAX = 60_000;
/** Steps that may wait for a slow watcher; further steps are not sent to it. */
const STEPS_WAITING_MAX = 4_096;

/**
 * Implements operator.proto with a cluster's operator, for the node's gRPC server. Every call needs the token, compared
 * in constant time; an empty token admits no call.
 */
export function operatorService(operator: () => Operator, token: string): SideService {
  return {
    definition: loadService('operator.proto', 'troupe.operator', 'Operator').service,
    implementation: implement(operator),
    refusal: (headers) => (admits(headers(TOKEN), token) ? null : 'the operator token is missing or wrong'),
  };
}

function implement(operator: () => Operator): UntypedServiceImplementation {
  const unary = <Q, A>(serve: (request: Q) => Promise<A>): handleUnaryCall<Q, A> => {
    return (call, answer) => {
      serve(call.request).then(
        (reply) => answer(null, reply),
        (error: unknown) =>
          // UNAVAILABLE would mean that the node was not reached.
          answer(isServiceError(error) ? error : { code: status.UNKNOWN, details: textOf(error) }),
      );
    };
  };
  const watch: handleServerStreamingCall<{ pattern: string }, { json: string }> = (call) => {
    try {
      const stop = operator().watch(call.request.pattern, (step) => {
        if (call.writableLength < STEPS_WAITING_MAX) call.write({ json: JSON.stringify(step) });
      });
      call.on('cancelled', stop);
      call.on('close', stop);
      call.on('error', stop);
    } catch (error) {
      call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: textOf(error) });
    }
  };
  return {
    Ps: unary(async () => ({ json: JSON.stringify(await operator().ps()) })),
    Inspect: unary(async ({ address }: { address: string }) => ({
      json: JSON.stringify(await operator().inspect(address)),
    })),
    Why: unary(async ({ address }: { address: string }) => {
      const inspection = await operator().inspect(address);
      if (inspection === null) throw serviceError(status.NOT_FOUND, `there is no ${address}`);
      return { lines: inspection.explanation };
    }),
    Reload: unary(async ({ address }: { address: string }) => ({
      json: JSON.stringify(await operator().reload(address)),
    })),
    Watch: watch,
    Drain: unary(async ({ node }: { node: string }) => {
      await operator().drain(node);
      return {};
    }),
    Retry: unary(async ({ address, id }: DeadLetterRequest) => ({
      found: await preconditioned(operator().retry(address, id)),
    })),
    Skip: unary(async ({ address, id }: DeadLetterRequest) => ({
      found: await preconditioned(operator().skip(address, id)),
    })),
    Rows: unary(async ({ queryJson }: { queryJson: string }) => ({
      json: JSON.stringify(await operator().rows(JSON.parse(queryJson) as RowQuery)),
    })),
    RowById: unary(async ({ collection, id }: { collection: string; id: string }) => ({
      json: JSON.stringify(await operator().rowById(collection, id)),
    })),
    Actors: unary(async ({ queryJson }: { queryJson: string }) => ({
      json: JSON.stringify(await operator().actors(JSON.parse(queryJson) as ActorsQuery)),
    })),
    Ask: unary((request: AskRequest) => ask(operator(), request)),
  };
}

interface DeadLetterRequest {
  readonly address: string;
  readonly id: string;
}

/** Turns an AskError of the actor into a FAILED_PRECONDITION. */
async function preconditioned(found: Promise<boolean>): Promise<boolean> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AskError) throw serviceError(status.FAILED_PRECONDITION, error.message);
    throw error;
  }
}

interface AskRequest {
  readonly address: string;
  readonly eventJson: string;
  readonly withinMs: number;
}

async function ask(operator: Operator, { address, eventJson, withinMs }: AskRequest): Promise<object> {
  let event: ActorEvent;
  try {
    event = JSON.parse(eventJson) as ActorEvent;
  } catch {
    throw serviceError(status.INVALID_ARGUMENT, 'the event is not JSON');
  }
  if (typeof event?.type !== 'string') throw serviceError(status.INVALID_ARGUMENT, 'the event has no type');
  try {
    const body = await operator.ask(address, event, { withinMs: Math.min(withinMs, ASK_MS_MAX) });
    return { bodyJson: JSON.stringify(body ?? null) };
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    return { failureJson: JSON.stringify(error.failure) };
  }
}

function admits(given: unknown, token: string): boolean {
  return token !== '' && typeof given === 'string' && same(given, token);
}

type Refused = Pick<ServiceError, 'code' | 'details'> & Error;

function serviceError(code: status, details: string): Refused {
  return Object.assign(new Error(details), { code, details });
}

function isServiceError(error: unknown): error is Refused {
  return error instanceof Error && 'details' in error && 'code' in error && typeof error.code === 'number';
}
