import { Counter, Gauge, Registry } from 'prom-client';
import { BoundedLabels } from './bounded-labels.ts';
import type { Measurement } from './measurement.ts';
import { RequestMetrics } from './request-metrics.ts';

const HEALTH = ['healthy', 'degraded', 'down', 'unknown', 'paused'] as const;

type Samples = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** The metrics of one node: those of its requests as they end, and what a scrape reads of its state. */
export class NodeMetrics {
  readonly requests: RequestMetrics;
  readonly #registry = new Registry();
  readonly #endpoints = new BoundedLabels();
  readonly #gauges = new Map<string, Gauge>();
  readonly #counters = new Map<string, Counter>();

  constructor() {
    this.requests = new RequestMetrics(this.#registry);
  }

  /** The content type and the text of one scrape, in the Prometheus format. */
  async answer(measured: Measurement): Promise<{ readonly type: string; readonly body: string }> {
    this.#readNode(measured);
    this.#readEdge(measured);
    this.#readEngine(measured);
    this.#readEndpoints(measured);
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #readNode({ view, ready, connected, rssBytes, gauges, node }: Measurement): void {
    const own = view.nodes.find((row) => row.name === node && row.live);
    if (own?.startedAt != null) {
      this.#gauge('troupe_start_time_seconds', 'Unix time of the start of the node', own.startedAt / 1_000);
    }
    this.#counter(
      'troupe_restarts_total',
      'Restarts of each node after a death, by its launcher; every node shows all',
      view.nodes.flatMap(({ name, restarts }) => (restarts ? [[{ node: name }, restarts.total] as const] : [])),
    );
    this.#gauge('troupe_ready', 'The node serves requests', Number(ready));
    this.#gauge('troupe_store_connected', 'The node has fresh contact with its store', Number(connected));
    this.#gauge('troupe_store_full', 'The disk is full: new work is refused', Number(gauges.storeFull));
    this.#gauge('troupe_nodes_live', 'Live nodes', view.nodes.filter((row) => row.live).length);
    this.#gauge('troupe_shards', 'Shards served by this node', own?.shards ?? 0);
    this.#gauge('troupe_shards_unowned', 'Shards without an owner', view.unowned);
    this.#gauge('troupe_dead_letters', 'Dead letters that wait for an operator', view.deadLetters.length);
    this.#gauge('troupe_resident_memory_bytes', 'Resident memory', rssBytes);
    const { heapUsedBytes, loopDelayP99Ms, diskFreeBytes } = gauges;
    this.#gauge('troupe_heap_used_bytes', 'Heap in use', heapUsedBytes);
    this.#gauge('troupe_loop_delay_p99_seconds', 'Event loop delay', loopDelayP99Ms / 1_000);
    if (diskFreeBytes !== null) {
      this.#gauge('troupe_disk_free_bytes', 'Free space on the disk of the data folder', diskFreeBytes);
    }
  }

  #readEdge({ edge }: Measurement): void {
    const { overload } = edge;
    this.#gauge('troupe_draining', 'The node accepts no new connections', Number(edge.draining));
    this.#gauge('troupe_connections', 'Open client connections', edge.connections);
    this.#gauge('troupe_requests_under_way', 'Requests being served', edge.requestsUnderWay);
    this.#gauge('troupe_places', 'Requests that the node works on at once, at most', overload.placesMax);
    this.#gauge('troupe_places_taken', 'Requests that the node works on', overload.inside);
    this.#gauge('troupe_requests_waiting', 'Requests that wait for a place', overload.waiting);
    this.#gauge('troupe_streams_waiting', 'Streams that wait for their share of the loop', overload.streamsWaiting);
    this.#gauge('troupe_streams_open', 'Replies being streamed', edge.streamsOpen);
    this.#counter('troupe_connections_refused_total', 'Connections closed unread because a bound was reached', [
      [{}, edge.connectionsRefused],
    ]);
    this.#counter(
      'troupe_requests_shed_total',
      'Requests refused for overload, by work',
      Object.entries(overload.shed).map(([work, count]) => [{ work }, count] as const),
    );
    this.#counter(
      'troupe_answers_total',
      'Answers by status',
      [...edge.answersByStatus].map(([status, count]) => [{ status: String(status) }, count] as const),
    );
    this.#counter('troupe_settled_later_total', 'Charges recorded after the answer', [[{}, edge.settledLater]]);
  }

  #readEngine({ view, node }: Measurement): void {
    const engine = view.nodes.find((row) => row.name === node && row.live)?.gauges;
    if (!engine) return;
    this.#gauge('troupe_cells', 'Resident actors', engine.cells);
    this.#gauge('troupe_actors_quarantined', 'Actors whose stored state does not load', engine.quarantined);
    this.#gauge('troupe_events_queued', 'Events waiting for their actor', engine.queued);
    this.#gauge('troupe_commits_in_flight', 'Commits under way', engine.commitsInFlight);
    this.#gauge('troupe_entries_waiting', 'Entries that are not durable yet', engine.entriesWaiting);
    this.#gauge('troupe_commit_lag_seconds', 'Age of the oldest commit under way', engine.commitLagMs / 1_000);
    const counted = [
      ['troupe_actors_evicted_total', 'Actors evicted from memory to free room', engine.evicted],
      ['troupe_steps_total', 'Steps taken', engine.steps],
      ['troupe_events_unhandled_total', 'Events that a chart did not handle', engine.unhandled],
      ['troupe_dead_letters_total', 'Inputs that became dead letters', engine.deadLetters],
      ['troupe_commits_total', 'Commits made', engine.commits],
      ['troupe_entries_total', 'Entries committed', engine.entries],
    ] as const;
    for (const [name, help, value] of counted) this.#counter(name, help, [[{}, value]]);
  }

  /** Every node shows the health of all endpoints, so take the maximum over the nodes. */
  #readEndpoints({ endpoints }: Measurement): void {
    const name = 'troupe_endpoints';
    const gauge = this.#gauges.get(name) ?? this.#declareGauge(name, 'Endpoints by health', [...ENDPOINT_LABELS]);
    gauge.reset();
    for (const { model, provider, health, paused } of endpoints) {
      const shown = paused === undefined ? health : 'paused';
      const labels = this.#endpoints.of({ model, provider: provider.name });
      for (const one of HEALTH) gauge.inc({ ...labels, health: one }, Number(one === shown));
    }
  }

  #gauge(name: string, help: string, value: number): void {
    (this.#gauges.get(name) ?? this.#declareGauge(name, help)).set(value);
  }

  #declareGauge(name: string, help: string, labelNames: string[] = []): Gauge {
    const gauge = new Gauge({ name, help, labelNames, registers: [this.#registry] });
    this.#gauges.set(name, gauge);
    return gauge;
  }

  /** Counted elsewhere: the samples replace the earlier ones. */
  #counter(name: string, help: string, samples: Samples): void {
    let counter = this.#counters.get(name);
    if (counter === undefined) {
      const labelNames = [...new Set(samples.flatMap(([labels]) => Object.keys(labels)))];
      if (samples.length === 0) return;
      counter = new Counter({ name, help, labelNames, registers: [this.#registry] });
      this.#counters.set(name, counter);
    }
    counter.reset();
    for (const [labels, value] of samples) counter.inc({ ...labels }, value);
  }
}

const ENDPOINT_LABELS = ['model', 'provider', 'health'] as const;
