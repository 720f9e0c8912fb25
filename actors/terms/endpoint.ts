import type { Tariff } from './tariff.ts';

/** What a request may carry to a model, and what a model may answer with. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file';

/** An endpoint as the board shows it: what it declares, what it charges, how it does. Published by the endpoint actor. */
export interface Endpoint {
  /** Endpoint id `ep_...`; its actor is `endpoint:<id>`. */
  readonly id: string;
  readonly model: string;
  readonly modelName: string;
  readonly author: string;
  readonly created: number;
  /** UTC date of the announced end, `YYYY-MM-DD`; absent: none. */
  readonly expiresOn?: string;
  /** Id of the weights' repository; absent: unpublished. */
  readonly modelHubId?: string;
  readonly description: string | null;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
  /** `slug`, or `slug/quantization` when declared. */
  readonly tag: string;
  readonly quantization: string | null;
  readonly contextLength: number;
  readonly completionTokensMax: number | null;
  readonly promptTokensMax: number | null;
  /** As declared; `evidence.withheld` names those that a failed verification takes back. */
  readonly supportedParameters: readonly string[];
  /** What a supported parameter may hold, where the endpoint says so, by its name. */
  readonly descriptors: Readonly<Record<string, Descriptor>>;
  /** Names of `provider.options` that reach this endpoint unchanged, and what each may hold. */
  readonly passthrough: Readonly<Record<string, Descriptor>>;
  /** Name under which the token ceiling is sent. */
  readonly ceilingName: 'max_tokens' | 'max_completion_tokens';
  /** True: aborted at once when its answer is no longer wanted; false: read on for its usage. */
  readonly cancellable: boolean;
  /** `text` always; the rest as in `inputs`. */
  readonly inputModalities: readonly Modality[];
  /** What each input beside text may be. A modality without an entry here is not taken. */
  readonly inputs: { readonly [modality in Exclude<Modality, 'text'>]?: AcceptedInput };
  readonly outputModalities: readonly Modality[];
  /** Null: nothing declared about reasoning. */
  readonly reasoning: ReasoningControls | null;
  /** Applied to a member that the request omits. */
  readonly defaultParameters: Readonly<Record<string, number>>;
  readonly envelopes: Envelopes;
  readonly compliance: {
    readonly hipaa: boolean | null;
    readonly zdr: 'pending' | 'approved' | 'denied' | null;
  } | null;
  readonly dataPolicy: { readonly training: boolean; readonly retentionDays: number | null } | null;
  readonly datacenters: readonly { readonly countryCode: string; readonly region?: string }[] | null;
  readonly tokenizer: string | null;
  /** Where it is reached, for the gateways only: the dialect it speaks, the provider's base URL, the model's id there. */
  readonly target: { readonly dialect: 'chat' | 'messages'; readonly baseUrl: string; readonly upstreamId: string };
  /** Charged prices, exact decimal strings in USD; an undeclared one is absent. */
  readonly tariff: Tariff;
  readonly health: 'healthy' | 'degraded' | 'down' | 'unknown';
  readonly evidence: Evidence;
  readonly measured: Measured;
  /** Slots in use and in all, as the endpoint reported them within the last minute; absent: not reported, or too old. */
  readonly capacity?: { readonly current: number; readonly total: number };
}

/** What a value may be (conventions 1.1). `unknown` takes anything. */
export type Descriptor =
  | { readonly type: 'range'; readonly min: number; readonly max: number; readonly step?: number }
  | { readonly type: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'enum'; readonly values: readonly (string | number | boolean)[] }
  | { readonly type: 'array'; readonly items: Descriptor; readonly minItems?: number; readonly maxItems?: number }
  | { readonly type: 'object'; readonly properties?: Readonly<Record<string, Descriptor>> }
  | { readonly type: 'unknown' };

/** How an input may arrive: as a URL the endpoint fetches, or as bytes in a `data:` URL. */
export interface AcceptedInput {
  readonly sources: readonly ('url' | 'data')[];
  /** Media types of inline bytes, such as `image/png`; null: any. */
  readonly containers: readonly string[] | null;
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Declared controls of reasoning; absent is undeclared. */
export interface ReasoningControls {
  /** Strongest first; absent: unknown, and none is claimed. */
  readonly efforts?: readonly Effort[];
  /** False only where an off control is declared. */
  readonly mandatory: boolean;
  readonly defaultEffort?: Effort;
  readonly defaultEnabled?: boolean;
  /** Budget in tokens that `reasoning.max_tokens` supplies. */
  readonly budget?: { readonly min: number; readonly max: number };
}

/** Declared render limits; absent: nothing of that kind is made. */
export interface Envelopes {
  readonly image?: {
    readonly resolutions?: readonly string[];
    readonly aspectRatios?: readonly string[];
    readonly sizes?: readonly string[];
    readonly formats?: readonly string[];
    readonly imagesMax?: number;
  };
  readonly speech?: { readonly voices: readonly string[]; readonly formats: readonly string[] };
}

/** Percent of demanded tool calls under which an endpoint is sent no tools. (spec: catalogue, `tool_call_success_1d`) */
export const TOOL_CALL_SUCCESS_MIN = 85;

/** What the endpoint's own traffic and checks have shown, not older than 24 hours. */
export interface Evidence {
  /** Declared parameters that the newest verification refuted: not routed to until a later check passes. */
  readonly withheld: readonly string[];
  /** Declared efforts whose newest check refuted them. */
  readonly refutedEfforts: readonly Effort[];
  /** A current positive check that it streams tool calls ready for dispatch. */
  readonly dispatchVerified: boolean;
  /** Percent of the last day's demanded tool asks that produced a call; null below 20 of them. */
  readonly toolCallSuccess1d: number | null;
  readonly toolCallSuccess1dSamples: number;
  /** What the scheduled checks last found, one entry per check ever tried in this configuration. */
  readonly checks?: readonly CheckFinding[];
}

/** What a scheduled check tries: one declared ability, or one effort of reasoning by its name. */
export type Check = 'tools' | 'tool_dispatch' | 'structured_outputs' | 'response_format' | `effort:${Effort}`;

export interface CheckFinding {
  readonly check: Check;
  /** What stands; null where nothing conclusive was found in the last 24 hours. */
  readonly verdict: 'passed' | 'failed' | null;
  /** Store time in ms of the newest try, conclusive or not. */
  readonly triedAt: number;
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
