/** An endpoint as the board shows it: what it declares, what it charges, how it does. Published by the endpoint actor. */
export interface EndpointOffer {
  /** Endpoint id `ep_...`; its actor is `endpoint:<id>`. */
  readonly id: string;
  readonly model: string;
  readonly modelName: string;
  readonly author: string;
  readonly created: number;
  readonly description: string | null;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
  /** `slug`, or `slug/quantization` when declared. */
  readonly tag: string;
  readonly quantization: string | null;
  readonly contextLength: number;
  readonly completionTokensMax: number | null;
  readonly promptTokensMax: number | null;
  readonly supportedParameters: readonly string[];
  /** Name under which the token ceiling is sent. */
  readonly ceilingName: 'max_tokens' | 'max_completion_tokens';
  /** True: aborted at once when its answer is no longer wanted; false: read on for its usage. */
  readonly cancellable: boolean;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly tokenizer: string | null;
  /** Where it is reached, for the gateways only: the provider's base URL and the id it knows the model by. */
  readonly target: { readonly baseUrl: string; readonly upstreamId: string };
  /** Charged prices, exact decimal strings in USD; an undeclared one is absent. */
  readonly tariff: Tariff;
  readonly health: 'healthy' | 'degraded' | 'down' | 'unknown';
  readonly measured: Measured;
}

export interface Tariff {
  /** Stable id of these prices: the same prices have the same id. */
  readonly id: string;
  /** USD per prompt token, per completion token, per request. */
  readonly prompt?: string;
  readonly completion?: string;
  readonly request?: string;
  /** Fraction off list, as declared; 0 where none. */
  readonly discount: number;
}

/** Figures from our own traffic; null until the window holds enough (spec: catalogue, Model endpoint object). */
export interface Measured {
  readonly uptime5m: number | null;
  readonly uptime30m: number | null;
  readonly uptime1d: number | null;
  readonly uptime5mSamples: number;
  readonly uptime30mSamples: number;
  readonly uptime1dSamples: number;
  readonly ttft30m: Percentiles | null;
  readonly ttft1d: Percentiles | null;
  readonly ttft30mSamples: number;
  readonly throughput30m: Percentiles | null;
  readonly throughput1d: Percentiles | null;
  readonly throughput30mSamples: number;
  readonly throughput1dSamples: number;
}

/** Seconds, or tokens per second. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}
