import { ENDPOINTS_TOPIC, observeProbe } from '../../actors/endpoint/endpoint.ts';
import type { Cancel, Clock, Cluster } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import { credentialHeaders } from '../outbound/credential-headers.ts';
import { type Outbound, outboundUrl } from '../outbound/outbound.ts';
import type { UpstreamLimits } from '../terms/config.ts';
import type { ProviderKeys } from '../terms/provider-keys.ts';

/** Concurrent probes. */
const PROBES_AT_ONCE_MAX = 8;
/** Answers of a provider that is up and has no such route; some gateways refuse unknown routes with 403. */
const NO_ROUTE_STATUSES: ReadonlySet<number> = new Set([403, 404, 405, 410, 501]);
/** Only the status of a probe matters; a longer answer is cut off. */
const PROBE_BYTES_MAX = 16 * 1024 * 1024;

export interface ProberParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly upstream: UpstreamLimits;
  /** Provider slug to its API key. */
  readonly keys: ProviderKeys;
}

/**
 * Probes the providers of the endpoints whose actors live on this node and reports to those actors whether they answer.
 * One request per base URL and round, independent of the number of models. Costs no tokens. A provider need not list
 * its models: an answer that only the route is missing counts as one.
 */
export class Prober {
  readonly #parts: ProberParts;
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
        const [baseUrl, endpoints] = next;
        const ok = await this.#answers(baseUrl, endpoints[0] as Endpoint);
        for (const endpoint of endpoints) observeProbe(this.#parts.cluster, endpoint.id, ok);
      }
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE_MAX }, worker));
  }

  async #run(): Promise<void> {
    await this.round();
    if (!this.#stopped) this.start();
  }

  #owned(): Map<string, Endpoint[]> {
    const byUrl = new Map<string, Endpoint[]>();
    for (const value of this.#parts.cluster.board.topic(ENDPOINTS_TOPIC).values()) {
      const endpoint = value as unknown as Endpoint;
      if (!this.#parts.cluster.owns(endpointAddress(endpoint.id))) continue;
      const others = byUrl.get(endpoint.target.baseUrl);
      if (others) others.push(endpoint);
      else byUrl.set(endpoint.target.baseUrl, [endpoint]);
    }
    return byUrl;
  }

  async #answers(baseUrl: string, { provider, target }: Endpoint): Promise<boolean> {
    const { outbound, upstream, keys } = this.#parts;
    const ms = upstream.probeTimeoutMs;
    const credentials = credentialHeaders(target.dialect, keys.get(provider.slug) ?? null);
    const standard = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'troupe'];
    try {
      const reply = await outbound.send({
        method: 'GET',
        url: outboundUrl(baseUrl, '/models'),
        headers: [...standard, ...credentials],
        body: null,
        limits: { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms, bodyBytesMax: PROBE_BYTES_MAX },
      });
      await reply.body.text();
      return reply.status === 200 || NO_ROUTE_STATUSES.has(reply.status);
    } catch {
      return false;
    }
  }
}
