import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import type { ClientAddresses } from '../http/client-addresses.ts';
import type { Overload, Work, WorkPlace } from '../overload/overload.ts';
import { CallerLeft, type GatewayError, unavailable } from '../terms/gateway-error.ts';
import type { ServingState } from '../terms/serving-state.ts';
import { type Authentication, type Policy, STRANGERS } from './auth/authentication.ts';
import type { EndpointWindow, Requester } from './auth/endpoint-window.ts';
import { awaitWaking } from './await-waking.ts';
import { providerOf } from './provider-of.ts';
import { OVERLOADED } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import type { Route, ServedRoute } from './route.ts';
import type { RunningRequests } from './running-requests.ts';

interface RequestAdmissionParts {
  readonly clock: Clock;
  readonly board: Cluster['board'];
  readonly readiness: () => ServingState;
  readonly authentication: Authentication;
  readonly clients: ClientAddresses;
  readonly window: EndpointWindow;
  readonly overload: Overload;
  readonly running: RunningRequests;
  /** Number of requests under way on this node. */
  readonly underWay: () => number;
}

/**
 * Whether a request is served, and what it takes while it is: the node's readiness and load, the credential and its
 * budgets, a place among the requests at work, its part of the endpoint's window. Steps that complete at once return
 * null and create no promise; a refusal is thrown, or rejects.
 */
export class RequestAdmission {
  readonly #parts: RequestAdmissionParts;

  constructor(parts: RequestAdmissionParts) {
    this.#parts = parts;
  }

  /** Before the body: 503 if this node is overloaded or not serving; else the credential, and the count of a read. */
  enter(context: RequestContext, route: ServedRoute): Promise<void> | null {
    const { authentication, clients, running, underWay } = this.#parts;
    const account = authentication.accountOf(context);
    const holder = account ?? clients.of(context.request);
    const mayBegin = running.mayBegin(holder, underWay());
    running.begin(holder);
    context.holder = holder;
    if (route.policy === 'unguarded') return null;
    const arriving = this.#arrive(context, route, account, mayBegin);
    return route.policy === 'open' || route.policy === 'admit' ? arriving : this.#read(context, route, arriving);
  }

  /** Throws 429 where the window is used up, before a body is read in vain. */
  check(context: RequestContext, { policy }: ServedRoute): void {
    if (policy !== 'unguarded') this.#parts.window.check(requesterOf(context));
  }

  /** After the body: a place, then a part of the window. */
  take(context: RequestContext, route: ServedRoute): Promise<void> | null {
    if (route.policy === 'unguarded') return null;
    const requester = requesterOf(context);
    const place = this.#takePlace(context, route, requester.asker);
    if (place instanceof Promise) return this.#takeBehind(context, place, requester);
    context.place = place;
    return this.#takeWindow(context, requester);
  }

  /** Counts a request that runs no generation; the refusal of its key, or null. */
  count(context: RequestContext): Promise<GatewayError | null> {
    return this.#parts.authentication.count(context);
  }

  /** Returns what the request took of the window. */
  giveBack({ taken }: RequestContext): void {
    if (taken !== null) this.#parts.window.giveBack(taken);
  }

  /** The request is answered or refused. */
  end({ place, holder }: RequestContext): void {
    place?.leave();
    if (holder !== null) this.#parts.running.end(holder);
  }

  async #read(context: RequestContext, { policy }: ServedRoute, arriving: Promise<void> | null): Promise<void> {
    if (arriving !== null) await arriving;
    const refusal = await this.count(context);
    if (refusal !== null) throw refusal;
    if (policy === 'provider') providerOf(context, this.#parts);
  }

  #arrive(
    context: RequestContext,
    route: ServedRoute,
    account: string | null,
    mayBegin: boolean,
  ): Promise<void> | null {
    if (!mayBegin) throw this.#shed(context, route);
    const readiness = this.#parts.readiness();
    if (readiness === 'waking') return this.#arriveAwake(context, route, account);
    return this.#admit(context, route, account, readiness);
  }

  async #arriveAwake(context: RequestContext, route: ServedRoute, account: string | null): Promise<void> {
    const admitting = this.#admit(context, route, account, await awaitWaking(this.#parts));
    if (admitting !== null) await admitting;
  }

  #admit(
    context: RequestContext,
    route: ServedRoute,
    account: string | null,
    readiness: ServingState,
  ): Promise<void> | null {
    // A node that drains serves what its open connections still send.
    if (readiness !== 'ready' && readiness !== 'draining') throw unavailable(`the node is ${readiness}`);
    if (account === null) return this.#authenticateStranger(context, route);
    if (route.isNeverShed !== true && !this.#parts.overload.mayDispatch(workOf(route), account)) {
      throw this.#shed(context, route);
    }
    return this.#authenticate(context, route);
  }

  /** A request whose key this node does not know holds a place while it is looked up and counted. */
  async #authenticateStranger(context: RequestContext, route: ServedRoute): Promise<void> {
    // By address, so that a flood of wrong keys keeps out no valid key that this node has not seen yet.
    const place = await this.#takePlace(context, route, this.#parts.clients.of(context.request));
    try {
      const authenticated = this.#authenticate(context, route);
      if (authenticated !== null) await authenticated;
    } finally {
      place?.leave();
    }
  }

  #authenticate(context: RequestContext, { policy }: ServedRoute): Promise<void> | null {
    return this.#parts.authentication.enter(context, requirementOf(policy), context.request);
  }

  /** Throws 503 at once where the queue is full. Null: the route is never shed. */
  #takePlace(context: RequestContext, route: ServedRoute, holder: string): WorkPlace | Promise<WorkPlace> | null {
    if (route.isNeverShed === true) return null;
    const given = (place: WorkPlace | null): WorkPlace => {
      if (place === null) {
        // Counting it would be one more ask of an overloaded node.
        context.counted = true;
        throw this.#shed(context, route);
      }
      // A client that left while its request waited needs no place.
      if (!context.response.destroyed) return place;
      place.leave();
      throw new CallerLeft();
    };
    const place = this.#parts.overload.enter(workOf(route), holder);
    return place instanceof Promise ? place.then(given) : given(place);
  }

  async #takeBehind(context: RequestContext, place: Promise<WorkPlace>, requester: Requester): Promise<void> {
    context.place = await place;
    const taking = this.#takeWindow(context, requester);
    if (taking !== null) await taking;
  }

  #takeWindow(context: RequestContext, requester: Requester): Promise<void> | null {
    const taken = this.#parts.window.take(requester);
    if (taken instanceof Promise) {
      return taken.then((own) => {
        context.taken = own;
      });
    }
    context.taken = taken;
    return null;
  }

  #shed({ startedAt }: RequestContext, route: ServedRoute): GatewayError {
    this.#parts.overload.refused(workOf(route), startedAt);
    return OVERLOADED;
  }
}

function workOf({ policy }: ServedRoute): Exclude<Work, 'jobs'> {
  return policy === 'admit' ? 'live' : 'catalogue';
}

function requesterOf({ address, caller }: RequestContext): Requester {
  if (address !== null) return { asker: address, holder: STRANGERS };
  if (caller === null) throw new Error('a request takes from the window after its caller or its address was counted');
  return { asker: caller.account, holder: caller.account };
}

function requirementOf(policy: Route['policy']): Policy {
  return policy === 'admit' || policy === 'unguarded' ? 'key' : policy;
}
