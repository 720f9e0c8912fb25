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
  /** Address of the key; null without a valid one. */
  readonly key: string | null;
  /** Name of the node that answered. */
  readonly node: string;
}
