import type { ClusterView } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { NodeGauges } from './node-gauges.ts';

/** The counters of a node's public edge. */
interface EdgeMeasurement {
  readonly connections: number;
  /** Connections closed unread so far because a connection bound was reached. */
  readonly connectionsRefused: number;
  readonly requestsUnderWay: number;
  readonly streamsOpen: number;
  readonly draining: boolean;
  /** Answers so far by status as sent; a stream counts as its 200. */
  readonly answersByStatus: ReadonlyMap<number, number>;
  /** Turns whose charge could not be recorded before the answer was sent. */
  readonly settledLater: number;
  readonly overload: OverloadMeasurement;
}

/** Admission of requests on a node, and how many it refused so far. */
interface OverloadMeasurement {
  readonly placesMax: number;
  readonly inside: number;
  readonly waiting: number;
  readonly streamsWaiting: number;
  readonly shed: Readonly<Record<string, number>>;
}

/** Measurements of one node at one instant. */
export interface Measurement {
  readonly node: string;
  readonly view: ClusterView;
  readonly edge: EdgeMeasurement;
  readonly endpoints: readonly Pick<Endpoint, 'model' | 'provider' | 'health' | 'paused'>[];
  readonly ready: boolean;
  readonly connected: boolean;
  readonly rssBytes: number;
  readonly gauges: NodeGauges;
}
