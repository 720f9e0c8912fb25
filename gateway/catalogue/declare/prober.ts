import { ENDPOINTS_TOPIC, observeProbe } from '../../../actors/endpoint/endpoint.ts';
import type { Cancel, Clock, Cluster } from '../../../actors/runtime/index.ts';
import type { CallFailure, Endpoint } from '../../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../../actors/terms/ids.ts';
import { type Credentials, signedHeaders } from '../../outbound/credentials.ts';
import { type Outbound, outboundUrl } from '../../outbound/outbound.ts';
import { OutboundError, type OutboundFailure } from '../../outbound/outbound-error.ts';
import type { UpstreamLimits } from '../../terms/config/config.ts';

/** Concurrent probes. */
const PROBES_AT_ONCE_MAX = 8;
/** Answers of a provider that is up and has no such route; some gateways refuse unknown routes with 403. */
const NO_ROUTE_STATUSES: ReadonlySet<number> = new Set([403, 404, 405, 410, 501]);
/** Failures of our own: they say nothing about the provider. */
const OWN: ReadonlySet<OutboundFailure> = new Set<OutboundFailure>(['aborted', 'saturated']);
const NOT_SENT: CallFailure = { category: 'call', text: 'the request could not be made' };
/** Rounds in a row without an answer before the log says so; a single one has no effect on health either. */
const LOGGED_AT = 2;
/** Only the status of a probe matters; a longer answer is cut off. */
const PROBE_BYTES_MAX = 16 * 1024 * 1024;
const PROBE_HEADERS = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'troupe'];

export interface ProberParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly upstream: UpstreamLimits;
  /** What authenticates calls to the provider of an endpoint. */
  readonly credentialsOf: (endpoint: Endpoint) => Credentials;
  /** Where the provider of an endpoint lists its models, below its base address. */
  readonly modelsPathOf: (endpoint: Endpoint) => string;
  readonly log: { info(record: object, message: string): void; warn(record: object, message: string): void };
}

/** What a probe found; null: nothing about the provider. */
type Probed = { readonly failure: CallFailure | null } | null;

/**
 * Probes the providers of the endpoints whose actors live on this node and reports to those actors whether they answer.
 * One request per address, wire and round, independent of the number of models. Costs no tokens. A provider need not
 * list its models: an answer that only the route is missing counts as one.
 */
export class Prober {
  readonly #parts: ProberParts;
  /** Rounds in a row without an answer, by address and wire. */
  readonly #failing = new Map<string, number>();
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(this.#parts.upstream.probeEveryMs, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** Runs one round now. Resolves when the results are sent to the actors. */
  async round(): Promise<void> {
    const waiting = [...this.#owned()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [list, endpoints] = next;
        const probed = await this.#probe(endpoints[0] as Endpoint);
        if (probed === null) continue;
        for (const endpoint of endpoints) observeProbe(this.#parts.cluster, endpoint.id, probed.failure);
        this.#logChange(list, endpoints[0] as Endpoint, probed.failure);
      }
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE_MAX }, worker));
  }

  #logChange(list: string, { provider: { slug } }: Endpoint, failure: CallFailure | null): void {
    const { log } = this.#parts;
    const before = this.#failing.get(list) ?? 0;
    if (failure === null) {
      this.#failing.delete(list);
      if (before >= LOGGED_AT) log.info({ provider: slug }, "a provider's model list answers again");
      return;
    }
    this.#failing.set(list, before + 1);
    if (before + 1 === LOGGED_AT) log.warn({ provider: slug, ...failure }, "a provider's model list fails");
  }

  async #run(): Promise<void> {
    await this.round();
    if (!this.#stopped) this.start();
  }

  /** By provider, address and wire: what a call and its key depend on. */
  #owned(): Map<string, Endpoint[]> {
    const byList = new Map<string, Endpoint[]>();
    for (const value of this.#parts.cluster.board.topic(ENDPOINTS_TOPIC).values()) {
      const endpoint = value as unknown as Endpoint;
      if (!this.#parts.cluster.owns(endpointAddress(endpoint.id))) continue;
      const { provider, target } = endpoint;
      const list = `${provider.slug} ${target.baseUrl} ${target.dialect}`;
      const others = byList.get(list);
      if (others) others.push(endpoint);
      else byList.set(list, [endpoint]);
    }
    return byList;
  }

  async #probe(endpoint: Endpoint): Promise<Probed> {
    const { outbound, upstream, credentialsOf, modelsPathOf, clock } = this.#parts;
    const { baseUrl, wire } = endpoint.target;
    const ms = upstream.probeTimeoutMs;
    try {
      const url = outboundUrl(baseUrl, modelsPathOf(endpoint), wire?.query);
      const call = { method: 'GET', url, headers: PROBE_HEADERS, body: null } as const;
      const reply = await outbound.send({
        ...call,
        headers: await signedHeaders(credentialsOf(endpoint), { ...call, clock, outbound }),
        // The total is longer, so that the phase that took too long is the cause.
        limits: { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: 2 * ms, bodyBytesMax: PROBE_BYTES_MAX },
      });
      await reply.body.text();
      const { status } = reply;
      const answered = status === 200 || NO_ROUTE_STATUSES.has(status);
      return { failure: answered ? null : { category: 'status', text: `status ${status}` } };
    } catch (error) {
      if (!(error instanceof OutboundError)) return { failure: NOT_SENT };
      return OWN.has(error.failure) ? null : { failure: { category: error.failure, text: error.message } };
    }
  }
}
