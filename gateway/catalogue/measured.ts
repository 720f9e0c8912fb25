/**
 * The measured figures of one endpoint in the catalogue's published form: one function per figure. The endpoint object
 * and the filters read figures only here. Null: not measured, or too few samples; never 0 and never a guess. (rule C30)
 */
import { CAPACITY_MS, type Endpoint, type Percentiles } from '../../actors/terms/endpoint.ts';

/** A figure with the number of its samples; null samples: not counted. */
interface Figure<T> {
  readonly value: T | null;
  readonly samples: number | null;
}

/** Seconds of a render: a fixed part, and a part per megapixel. */
interface RenderTiming {
  readonly fixed_seconds: number;
  readonly seconds_per_megapixel: number;
}

/** An earned score of one endpoint. */
interface Benchmark {
  readonly dataset: string;
  readonly score: number;
  readonly sample_count: number;
}

interface Capacity {
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
export function runawayRate({ measured }: Endpoint): Figure<number> {
  return figure(measured.runaway1d, measured.runaway1dSamples);
}

/** Seconds of an image render; `sizes` is the number of distinct sizes seen. Null for endpoints without images. */
export function renderTiming({
  measured,
  outputModalities,
}: Endpoint): Figure<RenderTiming> & { readonly sizes: number | null } {
  if (!outputModalities.includes('image')) return { ...figure<RenderTiming>(null, null), sizes: null };
  const { renderTiming: timing, renderTimingSamples, renderTimingSizes } = measured;
  const value = timing && {
    fixed_seconds: timing.fixedSeconds,
    seconds_per_megapixel: timing.secondsPerMegapixel,
  };
  return { ...figure(value, renderTimingSamples), sizes: renderTimingSizes ?? null };
}

/** Slots in use and in total; null where the last report is over a minute old. `now`: store time in ms. */
export function capacity({ capacity: report }: Endpoint, now: number): Capacity | null {
  if (report === undefined || now - report.reportedAt > CAPACITY_MS) return null;
  const { current, total, reportedAt } = report;
  return { current, total, updated_at: Math.floor(reportedAt / 1_000) };
}

/** Scores that the endpoint earned, by data set. */
export function benchmarks({ evidence }: Endpoint): readonly Benchmark[] {
  const scores = evidence.benchmarks ?? [];
  return scores
    .map(({ dataset, score, samples }) => ({ dataset, score, sample_count: samples }))
    .sort((a, b) => (a.dataset < b.dataset ? -1 : 1));
}

/** The grading disclosure for the scores of these endpoints. */
export function benchmarksNote(endpoints: readonly Endpoint[]): string {
  const scored = endpoints.some(({ evidence }) => (evidence.benchmarks ?? []).length > 0);
  return scored ? GRADING : 'No benchmark has been run for these endpoints.';
}

const GRADING =
  'Each score is the percentage of graded answers that were right, in the newest run of its data set against this ' +
  'endpoint in its present configuration. The marketplace runs it itself, through the same adapters as requests, one ' +
  'question per request, at temperature 0 where the endpoint takes one. A program grades each answer by comparing it ' +
  'with the expected one; no model judges. Refused, cut off and failed answers are not graded: sample_count is the ' +
  'number of those that were.';

/** Input modalities after semantic qualification. */
export function qualifiedInputs({ inputModalities, evidence: { refutedInputs } }: Endpoint): readonly string[] {
  return refutedInputs.length === 0 ? inputModalities : inputModalities.filter((one) => !refutedInputs.includes(one));
}

function figure<T>(value: T | null | undefined, samples: number | null | undefined): Figure<T> {
  return { value: value ?? null, samples: samples ?? null };
}
