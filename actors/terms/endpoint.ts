import type { Pause } from './pause.ts';
import type { Tariff } from './tariff.ts';
import type { Wire } from './wire.ts';

/** Kinds of content in a request or in an answer. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file';
/** Outputs that an endpoint serves alone, in a wire format of the same name. Each has an adapter. */
export const LONE_OUTPUTS = ['embeddings', 'rerank'] as const;
export type LoneOutput = (typeof LONE_OUTPUTS)[number];
/** What an endpoint produces: contents of an answer, vectors of its inputs, or their order. */
export type EndpointOutput = Modality | LoneOutput;

/** An endpoint as published on the board by its actor: declaration, prices, health and measurements. */
export interface Endpoint {
  /** Endpoint id `ep_...`; its actor is `endpoint:<id>`. */
  readonly id: string;
  readonly model: string;
  readonly modelName: string;
  readonly author: string;
  readonly created: number;
  /** UTC date of the announced end, `YYYY-MM-DD`; absent when none is announced. */
  readonly expiresOn?: string;
  /** Id of the weights' repository; absent when unpublished. */
  readonly modelHubId?: string;
  /** What that repository states, in the catalogue's published form; absent without a reading. */
  readonly modelHub?: Readonly<Record<string, unknown>>;
  /** Absent: undeclared. */
  readonly family?: Family;
  readonly tags?: readonly string[];
  /** Vector widths of its embeddings, null where undeclared; absent where it makes none. */
  readonly dimensions?: readonly number[] | null;
  /** Languages that it speaks or transcribes, null where undeclared; absent where it does neither. */
  readonly languages?: readonly string[] | null;
  readonly description: string | null;
  readonly provider: { readonly id: string; readonly slug: string; readonly name: string };
  /** `slug`, or `slug/quantization` when declared. */
  readonly tag: string;
  readonly quantization: string | null;
  readonly contextLength: number;
  readonly completionTokensMax: number | null;
  readonly promptTokensMax: number | null;
  /** As declared; `evidence.withheld` lists those withdrawn by a failed verification. */
  readonly supportedParameters: readonly string[];
  /** Accepted values of supported parameters, by name, where the endpoint declares them. */
  readonly descriptors: Readonly<Record<string, Descriptor>>;
  /** Names of `provider.options` that are forwarded to this endpoint unchanged, with their accepted values. */
  readonly passthrough: Readonly<Record<string, Descriptor>>;
  /** Upstream name of the token ceiling. */
  readonly ceilingName: 'max_tokens' | 'max_completion_tokens';
  /**
   * True: an upstream call is aborted at once when its answer is no longer wanted. False: it is read to the end for its
   * usage.
   */
  readonly cancellable: boolean;
  /** `text` always; the rest as in `inputs`. */
  readonly inputModalities: readonly Modality[];
  /** Accepted inputs other than text. A modality without an entry is not accepted. */
  readonly inputs: { readonly [modality in Exclude<Modality, 'text'>]?: AcceptedInput };
  /** One of `LONE_OUTPUTS` is the only member. */
  readonly outputModalities: readonly EndpointOutput[];
  /** Null when no reasoning controls are declared. */
  readonly reasoning: ReasoningControls | null;
  /** Defaults for members that the request omits. */
  readonly defaultParameters: Readonly<Record<string, number>>;
  readonly envelopes: Envelopes;
  readonly compliance: {
    readonly hipaa: boolean | null;
    readonly zdr: 'pending' | 'approved' | 'denied' | null;
  } | null;
  readonly dataPolicy: { readonly training: boolean; readonly retentionDays: number | null } | null;
  readonly datacenters: readonly { readonly countryCode: string; readonly region?: string }[] | null;
  readonly tokenizer: string | null;
  readonly target: EndpointTarget;
  /** Charged prices, exact decimal strings in USD; an undeclared one is absent. */
  readonly tariff: Tariff;
  readonly health: 'healthy' | 'degraded' | 'down' | 'unknown';
  /** The fact that decided the health, for operators. */
  readonly healthReason: string;
  /** An operator's pause of the endpoint or of its provider: its health is shown as down. Absent: not paused. */
  readonly paused?: Pause;
  readonly evidence: Evidence;
  readonly measured: Measured;
  /** The newest failure of a paid request that was the provider's fault, for operators; absent without one. */
  readonly lastFailure?: DatedFailure;
  /** Absent when unreported, or when the last report was over a minute old at the endpoint's last publication. */
  readonly capacity?: CapacityReport;
}

/** The upstream target, for gateways only: its dialect, the provider's base URL and the model's id there. */
export interface EndpointTarget {
  readonly dialect: TargetDialect;
  readonly baseUrl: string;
  readonly upstreamId: string;
  /** Absent: nothing beyond the dialect is declared. */
  readonly wire?: Wire;
}

/** Why a call to a provider failed, for operators: without any key and without what the request holds. */
export interface CallFailure {
  /** One word, such as `timeout`. */
  readonly category: string;
  /** The text of the operating system, or the provider's status and its redacted words. */
  readonly text: string;
}

/** Store times in ms of the newest failure, and of the first one of this category since the last success. */
export interface DatedFailure extends CallFailure {
  readonly at: number;
  readonly since: number;
}

export const FAILURE_CHARACTERS_MAX = 240;

/** A report of capacity counts for one minute. (rule C37) */
export const CAPACITY_MS = 60_000;

/** Slots in use and in total, as a provider reports them. */
export interface CapacityReport {
  readonly current: number;
  readonly total: number;
  /** Store time of the report, ms. */
  readonly reportedAt: number;
}

/** Models of one origin that belong together. */
export interface Family {
  readonly id: string;
  readonly name: string;
  /** Repository of the family's weights; absent when unpublished. */
  readonly modelHubId?: string;
}

/**
 * Wire formats of providers: those for turns, one for each output that is served alone, and two for videos, by job or by
 * one call that answers with the clip.
 */
export type TargetDialect = TurnDialect | LoneOutput | 'video-jobs' | 'video-sync';
/** The wire formats that a provider or a model can declare for turns. Each has an adapter. */
export const TURN_DIALECTS = [
  'chat',
  'messages',
  'responses',
  'bedrock',
  'ollama',
  'cohere',
  'gemini',
  'completions',
] as const;
export type TurnDialect = (typeof TURN_DIALECTS)[number];

/** Accepted values of one parameter (rule I36). `unknown` accepts anything. */
export type Descriptor =
  | { readonly type: 'range'; readonly min: number; readonly max: number; readonly step?: number }
  | { readonly type: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'enum'; readonly values: readonly (string | number | boolean)[] }
  | { readonly type: 'array'; readonly items: Descriptor; readonly minItems?: number; readonly maxItems?: number }
  | { readonly type: 'object'; readonly properties?: Readonly<Record<string, Descriptor>> }
  | { readonly type: 'unknown' };

/** Accepted forms of an input: a URL that the endpoint fetches, or bytes in a `data:` URL. */
export interface AcceptedInput {
  readonly sources: readonly ('url' | 'data')[];
  /** Media types of inline bytes, such as `image/png`; null: any. */
  readonly containers: readonly string[] | null;
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Declared controls of reasoning; an absent member is undeclared. */
export interface ReasoningControls {
  /** Strongest first; absent when unknown, and then none is advertised. */
  readonly efforts?: readonly Effort[];
  /** False only where an off control is declared. */
  readonly mandatory: boolean;
  readonly defaultEffort?: Effort;
  readonly defaultEnabled?: boolean;
  /** Bounds in tokens for `reasoning.max_tokens`. */
  readonly budget?: { readonly min: number; readonly max: number };
}

/** Declared render limits; an absent member means that this kind of output is not produced. */
export interface Envelopes {
  readonly image?: {
    readonly resolutions?: readonly string[];
    readonly aspectRatios?: readonly string[];
    readonly sizes?: readonly string[];
    readonly formats?: readonly string[];
    readonly imagesMax?: number;
    readonly frame?: Frame;
  };
  readonly speech?: {
    readonly voices: readonly string[];
    readonly formats: readonly string[];
    readonly speed?: { readonly min: number; readonly max: number };
    /** True: a request may send clips of a voice to imitate. */
    readonly clones?: true;
  };
  readonly video?: VideoEnvelope;
}

/** Sizes in pixels: their area, their edges, and what divides both edges. */
export interface Frame {
  readonly pixelsMax?: number;
  readonly edgeMin?: number;
  readonly edgeMax?: number;
  readonly grid?: number;
}

/**
 * Declared limits of an endpoint that renders videos. Its parameters (`duration`, `resolution`, `aspect_ratio`, `size`,
 * `seed`, `generate_audio`, `frame_images`, `input_references`) are in `descriptors`. An absent member is undeclared.
 */
export interface VideoEnvelope {
  /** Admitted sizes in pixels besides those that `size` lists. `grid` divides both edges. */
  readonly frame?: Frame;
  /** Longest clip, decimal seconds. */
  readonly secondsMax?: string;
  /** Frame rates, decimal frames per second. */
  readonly fps?: readonly string[];
  /** A clip's number of frames is a multiple of it. */
  readonly frameStep?: number;
  /** True: it can render a soundtrack. */
  readonly audio?: boolean;
  /** What applies to a request that omits the parameter. */
  readonly defaults: {
    readonly duration?: string;
    readonly resolution?: string;
    readonly aspectRatio?: string;
    readonly size?: string;
    readonly generateAudio?: boolean;
  };
  /** False: a frame or a reference is enough, without a prompt. */
  readonly promptRequired: boolean;
  readonly references?: VideoReferences;
  readonly adapters?: readonly VideoAdapter[];
  /** The provider renders a create that is repeated with its `Idempotency-Key` once. */
  readonly idempotentCreate: boolean;
}

export type ReferenceKind = 'image' | 'audio' | 'video';

/** Assets that a render may be conditioned on. */
export interface VideoReferences {
  /** Role names of each kind of asset; a kind without an entry is not accepted as a reference. */
  readonly roles: { readonly [kind in ReferenceKind]?: readonly string[] };
  /** Control passes that may be used together; any other combination is not. One pass alone always may. */
  readonly controlSets: readonly (readonly string[])[];
  /** Frames and references of one request together. */
  readonly itemsMax?: number;
}

/** A declared adapter (LoRA) of an endpoint. */
export interface VideoAdapter {
  readonly id: string;
  readonly revision: string;
  /** True: the price of the generation covers it. False: a conditional price does. */
  readonly included: boolean;
  readonly strength: { readonly min: number; readonly max: number };
  /** Ids of adapters that may be selected with it; absent: any. */
  readonly combinesWith?: readonly string[];
  /** Role that one reference of the request must have. */
  readonly requiresRole?: string;
}

/** Below this percentage of fulfilled tool demands an endpoint receives no tool requests. (rule I129) */
export const TOOL_CALL_SUCCESS_MIN = 85;

/** Results of the endpoint's own traffic and checks, at most 24 hours old. */
export interface Evidence {
  /** Declared parameters that the newest verification refuted: not routed to until a later check passes. */
  readonly withheld: readonly string[];
  /** Declared efforts whose newest check refuted them. */
  readonly refutedEfforts: readonly Effort[];
  /** Declared inputs whose newest check refuted them. */
  readonly refutedInputs: readonly Modality[];
  /** True after a current positive check that the endpoint streams tool calls ready for dispatch. */
  readonly dispatchVerified: boolean;
  /** Percentage of the last day's demanded tool asks that produced a call; null below 20 asks. */
  readonly toolCallSuccess1d: number | null;
  readonly toolCallSuccess1dSamples: number;
  /** The latest results of scheduled checks: one entry per check that was ever tried in this configuration. */
  readonly checks?: readonly CheckFinding[];
  /** Scores of benchmark runs in this configuration, one per data set; no age ends them. */
  readonly benchmarks?: readonly BenchmarkScore[];
}

/** The newest run of one data set against one endpoint. */
export interface BenchmarkScore {
  readonly dataset: string;
  /** Percent of the graded answers that were right. */
  readonly score: number;
  /** Graded answers; refused, aborted and failed ones are not among them. */
  readonly samples: number;
  /** Store time of the run's end, ms. */
  readonly ranAt: number;
}

/** The subject of a scheduled check: one declared ability, one input, or one effort of reasoning by its name. */
export type Check =
  | 'tools'
  | 'tool_dispatch'
  | 'structured_outputs'
  | 'response_format'
  | `input:${Exclude<Modality, 'text'>}`
  | `effort:${Effort}`;

export interface CheckFinding {
  readonly check: Check;
  /** The valid verdict; null without a conclusive result in the last 24 hours. */
  readonly verdict: 'passed' | 'failed' | null;
  /** Store time in ms at which the valid verdict was found, and the probe's version; absent without a valid verdict. */
  readonly verdictAt?: number;
  readonly version?: number;
  /** Store time in ms of the newest try, conclusive or not. */
  readonly triedAt: number;
}

/** Figures from our own traffic; null until the window has enough samples (rule C30). */
export interface Measured {
  readonly uptime5m: number | null;
  readonly uptime30m: number | null;
  readonly uptime1d: number | null;
  readonly uptime7d: number | null;
  readonly uptime5mSamples: number;
  readonly uptime30mSamples: number;
  readonly uptime1dSamples: number;
  readonly ttft30m: Percentiles | null;
  readonly ttft1d: Percentiles | null;
  readonly ttft30mSamples: number;
  readonly response30m: Percentiles | null;
  readonly response1d: Percentiles | null;
  readonly throughput30m: Percentiles | null;
  readonly throughput1d: Percentiles | null;
  readonly throughput30mSamples: number;
  readonly throughput1dSamples: number;
  /** Percent of the last day's long replies that ended repeating their own tail. */
  readonly runaway1d: number | null;
  readonly runaway1dSamples: number;
  /** From the replies with one image. */
  readonly renderTiming: RenderSeconds | null;
  readonly renderTimingSamples: number;
  readonly renderTimingSizes: number;
  /** Counted attempts of the last half hour and day. */
  readonly counts30m: AttemptCounts;
  readonly counts1d: AttemptCounts;
}

/** The attempts that count for the uptime. */
export interface AttemptCounts {
  readonly success: number;
  readonly error: number;
  /** Prompt and completion tokens of the successes, where their number is known. */
  readonly tokens: number;
  /** Errors by the category of their failure, such as `timeout`. */
  readonly causes: Readonly<Record<string, number>>;
}

/** Seconds of a render: a fixed part, and a part per megapixel. */
export interface RenderSeconds {
  readonly fixedSeconds: number;
  readonly secondsPerMegapixel: number;
}

/** Seconds, or tokens per second. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** One provider, as the board shows it under its slug (topic `providers`). Null: not declared. */
export interface ProviderFacts {
  /** Stable id, `prov_...`. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly website: string | null;
  readonly privacyPolicyUrl: string | null;
  readonly termsOfServiceUrl: string | null;
  readonly statusPageUrl: string | null;
  /** Two-letter country code. */
  readonly headquarters: string | null;
  readonly datacenters: readonly string[] | null;
  /** The marketplace's part of each charge, decimal text from 0 to 1; absent: 0. */
  readonly feeFraction?: string;
}

/**
 * One model at one provider, as the catalogue declares it to the endpoint's actor, which adds its measurements and
 * publishes both as an `Endpoint`. Plain JSON built from the operator's config.
 */
export type EndpointDeclaration = Omit<
  Endpoint,
  'health' | 'healthReason' | 'paused' | 'evidence' | 'measured' | 'lastFailure'
>;
