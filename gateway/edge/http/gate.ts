import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AskError } from '../../../actors/runtime/index.ts';
import type { Caller } from '../../terms/caller.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { gatewayErrorOf } from '../../terms/gateway-error-of.ts';
import { notFound } from '../../terms/not-found.ts';
import { unavailable } from '../../terms/unavailable.ts';
import type { Authentication, Policy } from '../authentication.ts';
import type { EndpointWindow } from '../endpoint-window.ts';
import { renderEnvelope } from '../envelope.ts';
import type { EdgeServices } from '../services.ts';
import { callerOf, type Visit, visitOf } from '../visit.ts';
import { generationHeaders } from './generation-headers.ts';
import { writeAnswer } from './write-answer.ts';

export interface GateOptions {
  readonly services: EdgeServices;
  readonly authentication: Authentication;
  readonly window: EndpointWindow;
  /** Requests under way on this node. */
  readonly underWay: () => number;
}

/** SDKs repeat 409 and every 5xx by themselves: here a repeat cannot help. (spec: conventions 0.2) */
const POINTLESS: ReadonlySet<number> = new Set([409, 500]);

/**
 * What every request passes on its way in, and every failure on its way out. In: shedding, the whole endpoint's window,
 * the credential, in this order, before a byte of the body. Out: the one place that answers a failure; a refusal of a
 * known caller is charged to the key's rate budget first, whose own answer takes its place. (spec: inference, Limits)
 */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The hook that guards a route. */
  guard(policy: Policy): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void {
    return (request, _reply, done) => {
      try {
        const pending = this.enter(request.raw, policy);
        if (pending === null) done();
        else pending.then(() => done(), done);
      } catch (error) {
        done(error as Error);
      }
    };
  }

  /** Null: go on. */
  enter(request: IncomingMessage, policy: Policy): Promise<void> | null {
    const { authentication, services, underWay, window } = this.#options;
    const { limits } = services;
    if (underWay() > limits.requestsMax) throw unavailable('too many requests are under way on this node');
    if (!services.serving()) throw unavailable('the node is not ready, or out of reach of its store');
    const visit = visitOf(request);
    const { socket } = request;
    const counted = window.take();
    return counted === null
      ? authentication.enter(visit, policy, socket)
      : counted.then(() => authentication.enter(visit, policy, socket) ?? undefined);
  }

  /** Charges a read to its key and says who asks; throws the 401 or 429 that the key answers. */
  async charge(request: IncomingMessage): Promise<Caller> {
    const visit = visitOf(request);
    const refusal = await this.#options.authentication.count(visit);
    if (refusal) throw refusal;
    return callerOf(visit);
  }

  /** Answers a failure of a route of the framework's, before anything was sent. */
  refuseReply(thrown: unknown, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    return this.refuse(thrown, raw, reply.raw);
  }

  /** Answers a failure before anything was sent; where something was, ends the connection. Never rejects. */
  async refuse(thrown: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const visit = visitOf(request);
    if (thrown instanceof CallerLeft) {
      request.destroy();
      return;
    }
    const error = await this.#counted(visit, thrown);
    this.#record(visit, error);
    if (response.headersSent) {
      // Half an answer has left: its end is all that can still be told.
      response.destroy();
      return;
    }
    const headers = generationHeaders(visit.id);
    for (const name in error.headers) headers.push(name, error.headers[name] as string);
    if (POINTLESS.has(error.status) && !('x-should-retry' in error.headers)) headers.push('x-should-retry', 'false');
    headers.push('content-type', 'application/json; charset=utf-8');
    writeAnswer(response, error.status, headers, renderEnvelope(error));
  }

  async #counted(visit: Visit, thrown: unknown): Promise<GatewayError> {
    const error = gatewayErrorOf(thrown);
    // Where the cluster did not answer, asking it once more would only add to the wait.
    if (visit.caller === null || visit.counted || thrown instanceof AskError) return error;
    try {
      return (await this.#options.authentication.count(visit)) ?? error;
    } catch (failure) {
      return error.status >= 500 ? error : gatewayErrorOf(failure);
    }
  }

  #record(visit: Visit, error: GatewayError): void {
    if (error.status < 500) return;
    const record = { generation: visit.id, key: visit.caller?.key ?? null, status: error.status, detail: error.detail };
    if (error.status === 500) this.#options.services.log.error(record, 'a request failed');
    else this.#options.services.log.warn(record, 'a request was refused');
  }
}

/** 404 for a route that is not there: names the method and the path, and nothing of the query. */
export function noSuchRoute(request: FastifyRequest): GatewayError {
  const [path = '/'] = request.url.split('?', 1);
  return notFound(`No route for ${request.method} ${path.slice(0, 200)}`);
}
