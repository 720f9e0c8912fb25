import type { ClusterView } from '../../../actors/runtime/index.ts';
import { REFUSED_WITHIN_MS } from '../../overload/refusal-times.ts';

/** The counters of a node's public edge. */
export interface EdgeMeasurement {
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

/** Admission of requests on a node, and what it refused so far. */
export interface OverloadMeasurement {
  readonly placesMax: number;
  readonly inside: number;
  readonly waiting: number;
  readonly shed: Readonly<Record<string, number>>;
  readonly refusedWithin: readonly number[];
  readonly refusedTotalMs: number;
}

/** Measurements of one node at one instant. */
export interface Measurement {
  readonly node: string;
  readonly view: ClusterView;
  readonly edge: EdgeMeasurement;
  readonly ready: boolean;
  readonly connected: boolean;
  /** The disk of the store has room only for work under way. */
  readonly storeFull: boolean;
  readonly memory: { readonly rss: number; readonly heapUsed: number };
  /** Seconds; null if not measured. */
  readonly loopDelayP99: number | null;
}

type Samples = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** Renders the node's metrics in the Prometheus text format, version 0.0.4. */
export function renderMetrics(measured: Measurement): string {
  const { node, view, edge } = measured;
  const own = view.nodes.find((row) => row.name === node && row.live);
  const one = (value: number): Samples => [[{}, value]];
  const engine = own?.gauges;
  const blocks = [
    metric('troupe_ready', 'gauge', 'The node serves requests', one(Number(measured.ready))),
    metric(
      'troupe_store_connected',
      'gauge',
      'The node has fresh contact with its store',
      one(Number(measured.connected)),
    ),
    metric('troupe_store_full', 'gauge', 'The disk is full: new work is refused', one(Number(measured.storeFull))),
    metric('troupe_draining', 'gauge', 'The node accepts no new connections', one(Number(edge.draining))),
    metric('troupe_connections', 'gauge', 'Open client connections', one(edge.connections)),
    metric(
      'troupe_connections_refused_total',
      'counter',
      'Connections closed unread because a bound was reached',
      one(edge.connectionsRefused),
    ),
    metric('troupe_requests_under_way', 'gauge', 'Requests being served', one(edge.requestsUnderWay)),
    metric('troupe_places', 'gauge', 'Requests that the node works on at once, at most', one(edge.overload.placesMax)),
    metric('troupe_places_taken', 'gauge', 'Requests that the node works on', one(edge.overload.inside)),
    metric('troupe_requests_waiting', 'gauge', 'Requests that wait for a place', one(edge.overload.waiting)),
    metric(
      'troupe_requests_shed_total',
      'counter',
      'Requests refused for overload, by work',
      shedSamples(edge.overload),
    ),
    histogram(
      'troupe_request_shed_seconds',
      'Time from the head of a request to its refusal for overload',
      edge.overload.refusedWithin,
      edge.overload.refusedTotalMs,
    ),
    metric('troupe_streams_open', 'gauge', 'Replies being streamed', one(edge.streamsOpen)),
    metric('troupe_answers_total', 'counter', 'Answers by status', statusSamples(edge.answersByStatus)),
    metric('troupe_settled_later_total', 'counter', 'Charges recorded after the answer', one(edge.settledLater)),
    metric('troupe_nodes_live', 'gauge', 'Live nodes', one(view.nodes.filter((row) => row.live).length)),
    metric('troupe_shards', 'gauge', 'Shards served by this node', one(own?.shards ?? 0)),
    metric('troupe_shards_unowned', 'gauge', 'Shards without an owner', one(view.unowned)),
    metric('troupe_resident_memory_bytes', 'gauge', 'Resident memory', one(measured.memory.rss)),
    metric('troupe_heap_used_bytes', 'gauge', 'Heap in use', one(measured.memory.heapUsed)),
  ];
  if (measured.loopDelayP99 !== null) {
    blocks.push(metric('troupe_loop_delay_p99_seconds', 'gauge', 'Event loop delay', one(measured.loopDelayP99)));
  }
  if (engine) {
    blocks.push(
      metric('troupe_cells', 'gauge', 'Resident actors', one(engine.cells)),
      metric('troupe_actors_quarantined', 'gauge', 'Actors whose stored state does not load', one(engine.quarantined)),
      metric('troupe_actors_evicted_total', 'counter', 'Actors evicted from memory to free room', one(engine.evicted)),
      metric('troupe_events_queued', 'gauge', 'Events waiting for their actor', one(engine.queued)),
      metric('troupe_commits_in_flight', 'gauge', 'Commits under way', one(engine.commitsInFlight)),
      metric('troupe_steps_total', 'counter', 'Steps taken', one(engine.steps)),
      metric('troupe_events_unhandled_total', 'counter', 'Events that a chart did not handle', one(engine.unhandled)),
      metric('troupe_dead_letters_total', 'counter', 'Inputs that became dead letters', one(engine.deadLetters)),
      metric('troupe_commits_total', 'counter', 'Commits made', one(engine.commits)),
      metric('troupe_entries_total', 'counter', 'Entries committed', one(engine.entries)),
    );
  }
  return blocks.join('');
}

function statusSamples(byStatus: ReadonlyMap<number, number>): Samples {
  return [...byStatus].sort(([a], [b]) => a - b).map(([status, count]) => [{ status: String(status) }, count] as const);
}

function shedSamples({ shed }: OverloadMeasurement): Samples {
  return Object.entries(shed).map(([work, count]) => [{ work }, count] as const);
}

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: Samples): string {
  const lines = samples.map(([labels, value]) => `${name}${renderLabels(labels)} ${value}\n`);
  return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** `counts`: one for each bound of `REFUSED_WITHIN_MS` and one for all above; Prometheus adds those below. */
function histogram(name: string, help: string, counts: readonly number[], totalMs: number): string {
  let below = 0;
  const lines = counts.map((count, at) => {
    below += count;
    const bound = REFUSED_WITHIN_MS[at];
    return `${name}_bucket{le="${bound === undefined ? '+Inf' : bound / 1_000}"} ${below}\n`;
  });
  const sums = `${name}_sum ${totalMs / 1_000}\n${name}_count ${below}\n`;
  return `# HELP ${name} ${help}.\n# TYPE ${name} histogram\n${lines.join('')}${sums}`;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/["\\\n]/g, '_')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
