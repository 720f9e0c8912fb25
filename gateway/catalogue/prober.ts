import { ENDPOINTS_TOPIC, observeProbe } from '../../actors/endpoint/endpoint.ts';
import type { Cancel, Clock, Cluster } from '../../actors/runtime/index.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { credentialHeaders } from '../outbound/credential-headers.ts';
import { type Outbound, outboundUrl } from '../outbound/outbound.ts';
import type { UpstreamLimits } from '../terms/config.ts';

/** Probes under way at once. */
const PROBES_AT_ONCE_MAX = 8;
/** Only the status of a probe matters; a longer answer is cut. */
const PROBE_BYTES_MAX = 16 * 1024 * 1024;

export interface ProberParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly upstream: UpstreamLimits;
  /** Provider slug to its API key. */
  readonly keys: ReadonlyMap<string, string>;
}

/**
 * Asks the providers of the endpoints whose actors live on this node whether they answer at all, and tells those actors.
 * One question per base URL and round, however many models it serves. Costs no tokens.
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

  /** One round, at once. Resolves when every actor was told. */
  async round(): Promise<void> {
    const waiting = [...this.#owned()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [baseUrl, offers] = next;
        const ok = await this.#answers(baseUrl, offers[0] as EndpointOffer);
        for (const offer of offers) observeProbe(this.#parts.cluster, offer.id, ok);
      }
    };
    await Promise.all(Array.from({ length: PROBES_AT_ONCE_MAX }, worker));
  }

  async #run(): Promise<void> {
    await this.round();
    if (!this.#stopped) this.start();
  }

  #owned(): Map<string, EndpointOffer[]> {
    const byUrl = new Map<string, EndpointOffer[]>();
    for (const value of this.#parts.cluster.board.topic(ENDPOINTS_TOPIC).values()) {
      const offer = value as unknown as EndpointOffer;
      if (!this.#parts.cluster.owns(endpointAddress(offer.id))) continue;
      const others = byUrl.get(offer.target.baseUrl);
      if (others) others.push(offer);
      else byUrl.set(offer.target.baseUrl, [offer]);
    }
    return byUrl;
  }

  async #answers(baseUrl: string, { provider, target }: EndpointOffer): Promise<boolean> {
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
      return reply.status === 200;
    } catch {
      return false;
    }
  }
}
