/**
 * The measured figures of one endpoint in the catalogue's published form: one function per figure. The endpoint object
 * and the filters read figures only here. Null: not measured, or too few samples; never 0 and never a guess. A value
 * that a node of an earlier build published lacks later members; they are null then. (spec: catalogue, Model endpoint
 * object)
 */
import type { Endpoint, Percentiles } from '../../actors/terms/endpoint.ts';

/** A figure with the number of its samples; null samples: not counted. */
export interface Figure<T> {
  readonly value: T | null;
  readonly samples: number | null;
}

/** Seconds of a render: a fixed part, and a part per megapixel. */
export interface RenderTiming {
  readonly fixed_seconds: number;
  readonly seconds_per_megapixel: number;
}

/** An earned score of one endpoint. */
export interface Benchmark {
  readonly dataset: string;
  readonly score: number;
  readonly sample_count: number;
}

export interface Capacity {
  readonly current: number;
  readonly total: number;
  /** Unix seconds of the report. */
  readonly updated_at: number;
}

/** Percent of counted attempts that succeeded. Samples of seven days are not published. */
export function uptime({ measured }: Endpoint, window: '5m' | '30m' | '1d' | '7d'): Figure<number> {
  if (window === '7d') return figure(measured.uptime7d, null);
  return figure(measured[`uptime${window}`], measured[`uptime${window}Samples`]);
}

/** Seconds to the first token of streams. Samples of one day are not published. */
export function timeToFirstToken({ measured }: Endpoint, window: '30m' | '1d'): Figure<Percentiles> {
  return window === '1d' ? figure(measured.ttft1d, null) : figure(measured.ttft30m, measured.ttft30mSamples);
}

/** Seconds of whole requests. */
export function responseTime({ measured }: Endpoint, window: '30m' | '1d'): Percentiles | null {
  return measured[`response${window}`] ?? null;
}

/** Completion tokens per second of streams. */
export function throughput({ measured }: Endpoint, window: '30m' | '1d'): Figure<Percentiles> {
  return figure(measured[`throughput${window}`], measured[`throughput${window}Samples`]);
}

/** Percent of the last day's demanded tool calls that were made. */
export function toolCallSuccess({ evidence }: Endpoint): Figure<number> {
  return figure(evidence.toolCallSuccess1d, evidence.toolCallSuccess1dSamples);
}

/** Percent of the last day's long replies that ended repeating their own tail. */
export function runawayRate(_endpoint: Endpoint): Figure<number> {
  return figure<number>(null, null);
}

/** Seconds of an image render; `sizes` is the number of distinct sizes seen. */
export function renderTiming(_endpoint: Endpoint): Figure<RenderTiming> & { readonly sizes: number | null } {
  return { ...figure<RenderTiming>(null, null), sizes: null };
}

/** Slots in use and in total; null where the last report is over a minute old. `now`: store time in ms. */
export function capacity(_endpoint: Endpoint, _now: number): Capacity | null {
  return null;
}

/** Scores that the endpoint earned. */
export function benchmarks(_endpoint: Endpoint): readonly Benchmark[] {
  return [];
}

/** The grading disclosure for the scores of these endpoints. */
export function benchmarksNote(_endpoints: readonly Endpoint[]): string {
  return 'No benchmark has been run for these endpoints.';
}

/** Input modalities after semantic qualification. */
export function qualifiedInputs({ inputModalities }: Endpoint): readonly string[] {
  return inputModalities;
}

function figure<T>(value: T | null | undefined, samples: number | null | undefined): Figure<T> {
  return { value: value ?? null, samples: samples ?? null };
}
