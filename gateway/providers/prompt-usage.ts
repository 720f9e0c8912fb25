import type { Usage } from '../terms/usage.ts';

/** A mutable usage, while its counts are added. */
export type OpenUsage = { -readonly [member in keyof Usage]: Usage[member] };

/** A provider's raw counts of the prompt, under one set of names. Null and absent are equivalent. */
export interface ReportedPrompt {
  readonly input: unknown;
  readonly cacheRead: unknown;
  /** Written to a cache: the total, and its parts for five minutes and for one hour. */
  readonly cacheWrite: unknown;
  readonly cacheWrite5m: unknown;
  readonly cacheWrite1h: unknown;
}

/**
 * Adds the counts of the prompt in normal form: the total includes cache reads and cache writes. `counting` states
 * whether the provider's own total does. Parts that contradict their total are unreported and the total counts, since
 * the provider bills by it. Parts without a total cannot be priced and are omitted. (rule K73)
 */
export function addPromptUsage(usage: OpenUsage, reported: ReportedPrompt, counting: 'included' | 'excluded'): void {
  const total = tokenCount(reported.input);
  if (total === undefined) return;
  const read = tokenCount(reported.cacheRead);
  const writes = cacheWrites(reported);
  const caches = (read ?? 0) + (writes?.fiveMinutes ?? 0) + (writes?.oneHour ?? 0);
  if (counting === 'included') {
    usage.promptTokens = total;
    if (caches > total) return;
  } else {
    // A sum with an invalid part is unreported.
    const sum = writes === BROKEN || isBrokenCount(reported.cacheRead) ? undefined : tokenCount(total + caches);
    if (sum === undefined) return;
    usage.promptTokens = sum;
  }
  if (read !== undefined) usage.cachedTokens = read;
  if (writes?.fiveMinutes !== undefined) usage.cacheWriteTokens = writes.fiveMinutes;
  if (writes?.oneHour !== undefined) usage.cacheWrite1hTokens = writes.oneHour;
}

interface CacheWrites {
  readonly fiveMinutes: number | undefined;
  readonly oneHour: number | undefined;
}

const BROKEN: CacheWrites = { fiveMinutes: undefined, oneHour: undefined };

/**
 * Null where none was reported, `BROKEN` where a reported value is invalid. A total that its parts contradict counts as
 * written for five minutes, the default.
 */
function cacheWrites({ cacheWrite, cacheWrite5m, cacheWrite1h }: ReportedPrompt): CacheWrites | null {
  if (cacheWrite == null && cacheWrite5m == null && cacheWrite1h == null) return null;
  if (isBrokenCount(cacheWrite) || isBrokenCount(cacheWrite5m) || isBrokenCount(cacheWrite1h)) return BROKEN;
  const all = tokenCount(cacheWrite);
  const oneHour = tokenCount(cacheWrite1h);
  const fiveMinutes = tokenCount(cacheWrite5m) ?? (all === undefined ? undefined : all - (oneHour ?? 0));
  const isSplit = all === undefined || ((fiveMinutes ?? 0) >= 0 && (fiveMinutes ?? 0) + (oneHour ?? 0) === all);
  return isSplit ? { fiveMinutes, oneHour } : { fiveMinutes: all, oneHour: undefined };
}

/** The largest plausible count of one reply; a larger one is unreported. */
const TOKENS_MAX = 100_000_000;

/** The reported count, or undefined for one that is absent, negative, a fraction, text or above the maximum. */
export function tokenCount(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

/** True for a value that is present and invalid: any sum that includes it is unknown. */
export function isBrokenCount(value: unknown): boolean {
  return value != null && !isCount(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;
}

/** A provider's raw counts of its answer, under one set of names. Null and absent are equivalent. */
export interface ReportedCompletion {
  readonly output: unknown;
  readonly reasoning: unknown;
  readonly image: unknown;
  readonly audio: unknown;
}

/**
 * Adds the counts of the answer in normal form: the total includes reasoning and media. `counting` states whether the
 * provider's own total includes the reasoning. Parts larger than their total contradict it and are unreported.
 */
export function addCompletionUsage(
  usage: OpenUsage,
  reported: ReportedCompletion,
  counting: 'included' | 'excluded',
): void {
  const own = tokenCount(reported.output);
  if (own === undefined) return;
  const reasoning = tokenCount(reported.reasoning);
  const image = tokenCount(reported.image);
  const audio = tokenCount(reported.audio);
  const total = counting === 'included' ? own : tokenCount(own + (reasoning ?? 0));
  if (total === undefined) return;
  usage.completionTokens = total;
  if ((reasoning ?? 0) + (image ?? 0) + (audio ?? 0) > total) return;
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  if (image !== undefined) usage.imageTokens = image;
  if (audio !== undefined) usage.audioTokens = audio;
}
