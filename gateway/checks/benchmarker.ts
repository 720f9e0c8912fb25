import { LRUCache } from 'lru-cache';
import { endpointsOn, observeBenchmark } from '../../actors/endpoint/endpoint.ts';
import { configurationOf } from '../../actors/endpoint/evidence.ts';
import type { Cancel } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import type { BenchmarkLimits } from '../terms/config/check-limits.ts';
import { ask, converses, isFailure } from './ask.ts';
import { type BenchmarkSet, readBenchmarkSet } from './benchmark-set.ts';
import type { CheckerParts } from './checker.ts';
import { incomplete } from './probe.ts';
import { question } from './probe-answer.ts';

/** Runs without a score that are remembered, so that they are not repeated at once. */
const TRIED_MAX = 10_000;
/** A run with fewer graded answers than this share of its questions earns no score. */
const GRADED_SHARE_MIN = 0.5;

interface BenchmarkerParts extends Omit<CheckerParts, 'limits'> {
  readonly limits: BenchmarkLimits;
}

interface DueRun {
  readonly endpoint: Endpoint;
  readonly set: BenchmarkSet;
  /** Store time of the newest score; 0 for none. */
  readonly ranAt: number;
}

/**
 * Runs the configured data sets against the endpoints whose actors live on this node, and reports each score to its
 * actor. One run at a time and one question at a time; nothing is charged to an account. A refused, cut off or failed
 * answer is not graded. Without data sets it does nothing. (rule C45)
 */
export class Benchmarker {
  readonly #parts: BenchmarkerParts;
  readonly #tried = new LRUCache<string, number>({ max: TRIED_MAX });
  #sets: readonly BenchmarkSet[] | null = null;
  #running = false;
  #abort = (): void => {};
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: BenchmarkerParts) {
    this.#parts = parts;
  }

  start(): void {
    const { limits, clock, log } = this.#parts;
    if (limits.datasets.length === 0 || this.#stopped) return;
    this.#timer = clock.after(limits.lookEveryMs, () => {
      this.look().catch((error: unknown) => log({ message: 'a benchmark run failed', detail: String(error) }));
      this.start();
    });
  }

  /** Aborts the run under way; it earns no score. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    this.#abort();
  }

  /** Starts the most overdue run, unless one is under way. Resolves when its score is sent. */
  async look(): Promise<void> {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    try {
      this.#sets ??= await this.#read();
      const due = this.#due(this.#sets);
      if (due !== null) await this.#run(due);
    } finally {
      this.#running = false;
    }
  }

  async #read(): Promise<readonly BenchmarkSet[]> {
    const { limits, log } = this.#parts;
    const sets: BenchmarkSet[] = [];
    for (const path of limits.datasets) {
      await readBenchmarkSet(path).then(
        (set) => sets.push(set),
        (error: unknown) => log({ message: 'a data set cannot be read', detail: String(error) }),
      );
    }
    return sets;
  }

  #due(sets: readonly BenchmarkSet[]): DueRun | null {
    const { cluster, limits } = this.#parts;
    const now = cluster.now();
    let oldest: DueRun | null = null;
    for (const value of endpointsOn(cluster.board).values()) {
      const endpoint = value as unknown as Endpoint;
      if (!isAsked(endpoint) || !cluster.owns(endpointAddress(endpoint.id))) continue;
      for (const set of sets) {
        const score = endpoint.evidence.benchmarks?.find(({ dataset }) => dataset === set.name);
        const ranAt = score?.ranAt ?? 0;
        const triedAt = this.#tried.peek(nameOf(endpoint, set)) ?? 0;
        const due = now - ranAt >= limits.everyMs && now - triedAt >= limits.againMs;
        if (due && ranAt < (oldest?.ranAt ?? Number.POSITIVE_INFINITY)) oldest = { endpoint, set, ranAt };
      }
    }
    return oldest;
  }

  async #run({ endpoint, set }: DueRun): Promise<void> {
    const { cluster, log } = this.#parts;
    this.#tried.set(nameOf(endpoint, set), cluster.now());
    let graded = 0;
    let right = 0;
    for (const { prompt, answer } of set.questions) {
      const text = await this.#answer(endpoint, prompt);
      if (this.#stopped) return;
      if (text === null) continue;
      graded++;
      if (isRight(set.grader, text, answer)) right++;
    }
    if (graded < set.questions.length * GRADED_SHARE_MIN) {
      log({ message: 'a benchmark run earned no score', endpoint: endpoint.id, dataset: set.name, graded });
      return;
    }
    const score = +((100 * right) / graded).toFixed(2);
    const configuration = configurationOf(endpoint);
    observeBenchmark(cluster, endpoint.id, { dataset: set.name, score, samples: graded, configuration });
  }

  /** The text of a complete answer; null for any other. */
  async #answer(endpoint: Endpoint, prompt: string): Promise<string | null> {
    const { clock, outbound, limits, upstream, targetOf } = this.#parts;
    const begun = (abort: () => void): void => {
      this.#abort = abort;
      if (this.#stopped) abort();
    };
    const sampling = endpoint.supportedParameters.includes('temperature') ? { temperature: 0 } : {};
    const site = { clock, outbound, targetOf, limits, ...upstream, begun };
    const answer = await ask(site, endpoint, question(endpoint.model, prompt, { sampling }));
    return isFailure(answer) || incomplete(answer) !== null ? null : answer.text;
  }
}

/** Endpoints that answer questions with text alone and are not failing. */
function isAsked(endpoint: Endpoint): boolean {
  const { health, outputModalities } = endpoint;
  if (!converses(endpoint) || outputModalities.some((modality) => modality !== 'text')) return false;
  return health === 'healthy' || health === 'unknown';
}

function nameOf(endpoint: Endpoint, set: BenchmarkSet): string {
  return `${endpoint.id} ${set.name}`;
}

/**
 * Programs that grade an answer by the expected one; no model judges. `exact`: the last line, without case, surrounding
 * marks and spaces. `number`: the last number of the text. `choice`: the last letter from A to J that stands alone.
 */
export type Grader = 'exact' | 'number' | 'choice';

export function isRight(grader: Grader, text: string, expected: string): boolean {
  const read = READERS[grader];
  const found = read(text);
  return found !== null && found === read(expected);
}

const READERS: Readonly<Record<Grader, (text: string) => string | null>> = {
  exact: (text) => trimmed(text.trimEnd().split('\n').at(-1) ?? ''),
  number: (text) => canonical(text.match(/-?\d[\d,]*(\.\d+)?/g)?.at(-1)),
  choice: (text) => text.match(/\b[A-J]\b/g)?.at(-1) ?? null,
};

const MARK = /^[\s"'`*_.]$/;

function trimmed(line: string): string | null {
  let [from, till] = [0, line.length];
  while (from < till && MARK.test(line[from] as string)) from++;
  while (till > from && MARK.test(line[till - 1] as string)) till--;
  return from === till ? null : line.slice(from, till).toLowerCase();
}

/** A number without separators, leading zeros and final zeros of its fraction. */
function canonical(number: string | undefined): string | null {
  if (number === undefined) return null;
  const [whole = '', fraction = ''] = number.replaceAll(',', '').split('.');
  const digits = whole.replace(/^(-?)0+(?=\d)/, '$1');
  const rest = fraction.replace(/0+$/, '');
  const value = rest === '' ? digits : `${digits}.${rest}`;
  return value === '-0' ? '0' : value;
}
