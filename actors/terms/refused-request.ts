import type { CallFailure } from './endpoint.ts';
import type { ErrorType } from './refusal.ts';

/** A request that was answered with an error. */
export interface RefusedRequest {
  /** Store time, ms. */
  readonly at: number;
  readonly generation: string;
  /** Method and path of the route; null without one. */
  readonly route: string | null;
  readonly status: number;
  readonly type: ErrorType;
  /** As the client received it, cut; null in the store where it may quote the request. */
  readonly message: string | null;
  /** Of the endpoint that was tried last; null where no provider failed. For operators alone. */
  readonly failure: FailedCall | null;
  /** Address of the key; null without a valid one. */
  readonly key: string | null;
  /** Name of the node that answered. */
  readonly node: string;
}

/** The failed call to a provider behind a refused request. */
export interface FailedCall extends CallFailure {
  /** Slug. */
  readonly provider: string;
  readonly endpoint: string;
}
