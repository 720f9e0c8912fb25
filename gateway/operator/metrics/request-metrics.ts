import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AttemptRecord, Generation, Settlement } from '../../../actors/terms/hold.ts';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';
import type { MeasuredEndpoint, Measures } from '../../terms/measures.ts';
import type { Receipt } from '../../terms/receipt.ts';
import { BoundedLabels, type Labels } from './bounded-labels.ts';
import { LastRefusals } from './last-refusals.ts';
import { RecentTimes } from './recent-times.ts';

/** Upper bounds in seconds: an answer takes from a millisecond to minutes. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const FIRST_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];
const RENDER_SECONDS = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_200, 2_400];
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const REFUSAL_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const NO_ROUTE = 'none';

/**
 * What one node measures of its requests, turns and commits. A completion makes six calls of the client library
 * (counted by its test), about 3 us. Labels have bounded sets: routes, models of the catalogue, providers, our own words.
 */
export class RequestMetrics implements Measures {
  readonly lastRefusals = new LastRefusals();
  readonly lastCommits = new RecentTimes();
  readonly #endpoints = new BoundedLabels();
  readonly #request: Histogram;
  readonly #refusals: Counter;
  readonly #shed: Histogram;
  readonly #firstToken: Histogram;
  readonly #attempts: Counter;
  readonly #providerRefusals: Counter;
  readonly #tokens: Counter;
  readonly #usd: Counter;
  readonly #late: Counter;
  readonly #overshoots: Counter;
  readonly #usageRefused: Counter;
  readonly #render: Histogram;
  readonly #commit: Histogram;
  #holdsOpen = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const endpoint = ['model', 'provider'];
    const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram =>
      new Histogram({ name, help, buckets, labelNames, registers });
    const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
      new Counter({ name, help, labelNames, registers });
    this.#request = histogram(
      'troupe_request_seconds',
      'Time from the head of a request to the end of its answer',
      REQUEST_SECONDS,
      ['route', 'status'],
    );
    this.#firstToken = histogram(
      'troupe_first_token_seconds',
      'Time from the head of a request to the first part of its answer; of a reply in one piece, to the reply',
      FIRST_TOKEN_SECONDS,
      endpoint,
    );
    this.#render = histogram(
      'troupe_render_seconds',
      'Time from the begin of the render of a video to its stored clip',
      RENDER_SECONDS,
      endpoint,
    );
    this.#commit = histogram('troupe_commit_seconds', 'Time of a commit at the store', COMMIT_SECONDS);
    this.#shed = histogram(
      'troupe_request_shed_seconds',
      'Time from the head of a request to its refusal for overload',
      REFUSAL_SECONDS,
    );
    this.#refusals = counter('troupe_refusals_total', 'Requests answered with an error, by its type', [
      'type',
      'status',
    ]);
    this.#attempts = counter('troupe_attempts_total', 'Calls of providers by their outcome', [...endpoint, 'outcome']);
    this.#providerRefusals = counter(
      'troupe_provider_refusals_total',
      'Calls that a provider refused or failed, by reason',
      [...endpoint, 'reason'],
    );
    this.#tokens = counter('troupe_tokens_total', 'Charged tokens', [...endpoint, 'kind']);
    this.#usd = counter('troupe_usd_total', 'Charges in USD, rounded; the ledger is exact', endpoint);
    this.#late = counter('troupe_settles_late_total', 'Charges that arrived after the release of their hold');
    this.#overshoots = counter('troupe_overshoots_total', 'Charges above their hold');
    this.#usageRefused = counter(
      'troupe_usage_refused_total',
      'Answers whose reported prompt tokens were implausible, charged by our own count',
    );
    this.#openHoldsGauge(registry);
  }

  requestEnded(route: string | null, status: number, tookMs: number): void {
    this.#request.observe({ route: route ?? NO_ROUTE, status: CLASSES[Math.trunc(status / 100)] }, tookMs / 1_000);
  }

  requestRefused(account: string | null, refused: Omit<RefusedRequest, 'node'>): void {
    const { type, status } = refused;
    this.#refusals.inc({ type, status });
    if (account !== null) this.lastRefusals.note(account, refused);
  }

  requestShed(tookMs: number): void {
    this.#shed.observe(tookMs / 1_000);
  }

  attemptEnded(endpoint: MeasuredEndpoint, { outcome, reason }: Pick<AttemptRecord, 'outcome' | 'reason'>): void {
    const labels = this.#endpoints.of(endpoint);
    this.#attempts.inc(withLabel(labels, 'outcome', outcome));
    if (outcome === 'failed' && reason !== undefined) {
      this.#providerRefusals.inc(withLabel(labels, 'reason', reason));
    }
  }

  turnServed({ candidate, latencyMs, attempts }: Receipt): void {
    const endpoint = { model: candidate.model, provider: candidate.endpoint.provider.name };
    const own = attempts.at(-1);
    if (own !== undefined) this.attemptEnded(endpoint, own);
    if (latencyMs !== null) this.#firstToken.observe({ ...this.#endpoints.of(endpoint) }, latencyMs / 1_000);
  }

  usageRefused(): void {
    this.#usageRefused.inc();
  }

  charged(
    endpoint: MeasuredEndpoint,
    { cost, promptTokens, completionTokens }: Pick<Settlement, 'cost' | 'promptTokens' | 'completionTokens'>,
  ): void {
    const labels = this.#endpoints.of(endpoint);
    if (promptTokens !== null) this.#tokens.inc(withLabel(labels, 'kind', 'prompt'), promptTokens);
    if (completionTokens !== null) this.#tokens.inc(withLabel(labels, 'kind', 'completion'), completionTokens);
    this.#usd.inc({ ...labels }, Number(cost));
  }

  rendered(endpoint: MeasuredEndpoint, tookMs: number): void {
    this.#render.observe({ ...this.#endpoints.of(endpoint) }, tookMs / 1_000);
  }

  settled({ late, overshoot }: Pick<Generation, 'late' | 'overshoot'>): void {
    if (late) this.#late.inc();
    if (overshoot !== null) this.#overshoots.inc();
  }

  holdOpened(): void {
    this.#holdsOpen++;
  }

  holdEnded(): void {
    this.#holdsOpen--;
  }

  committed(tookMs: number): void {
    this.#commit.observe(tookMs / 1_000);
    this.lastCommits.add(tookMs);
  }

  #openHoldsGauge(registry: Registry): void {
    const open = (): number => this.#holdsOpen;
    new Gauge({
      name: 'troupe_holds_open',
      help: 'Holds of turns that this node runs and has not settled or released',
      registers: [registry],
      collect() {
        this.set(open());
      },
    });
  }
}

const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

function withLabel(labels: Labels, name: string, value: string): Record<string, string> {
  return { model: labels.model, provider: labels.provider, [name]: value };
}
