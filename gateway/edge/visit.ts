import type { IncomingMessage } from 'node:http';
import type { Caller } from '../terms/caller.ts';
import type { Head } from './head.ts';
import type { Presented } from './presented.ts';

/** One request on its way through the edge: what was found out about it so far. */
export interface Visit {
  /** Generation id, made before anything could fail. */
  readonly id: string;
  readonly head: Head;
  readonly presented: Presented;
  /** Null until the presented key was found, and for ever if it was not. */
  caller: Caller | null;
  /** Digest of the presented key; null when there is none. */
  digest: string | null;
  /** Monotonic ms at which the head had arrived. */
  readonly startedAt: number;
  /** True once the caller's rate budget was charged for this request. */
  counted: boolean;
  /** Asks for the body that the caller announced and holds back (`Expect: 100-continue`); null when it does not. */
  readonly invite: (() => void) | null;
}

const VISIT = Symbol('visit');

interface Tagged {
  [VISIT]?: Visit;
}

/** Starts the visit of a request that has just arrived. */
export function beginVisit(
  request: IncomingMessage,
  begun: Pick<Visit, 'id' | 'head' | 'presented' | 'startedAt' | 'invite'>,
): Visit {
  const { id, head, presented, startedAt, invite } = begun;
  const visit: Visit = { id, head, presented, caller: null, digest: null, startedAt, counted: false, invite };
  (request as Tagged)[VISIT] = visit;
  return visit;
}

export function visitOf(request: IncomingMessage): Visit {
  const visit = (request as Tagged)[VISIT];
  if (!visit) throw new Error('a request reached a route without a visit');
  return visit;
}

/** Who asks, on a route that was guarded by policy `key`. */
export function callerOf(visit: Visit): Caller {
  if (!visit.caller) throw new Error('a route that needs a caller was reached without one');
  return visit.caller;
}
