import type { Usage } from '../terms/usage.ts';
import { isBrokenCount, tokenCount } from './token-count.ts';

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
 * whether the provider's own total does. Counts that contradict each other are all unreported and never repaired,
 * because the wrong one cannot be identified. Parts without their total cannot be priced and are omitted too.
 */
export function addPromptUsage(usage: OpenUsage, reported: ReportedPrompt, counting: 'included' | 'excluded'): void {
  const total = tokenCount(reported.input);
  if (total === undefined) return;
  const read = tokenCount(reported.cacheRead);
  const writes = cacheWrites(reported);
  const caches = (read ?? 0) + (writes?.fiveMinutes ?? 0) + (writes?.oneHour ?? 0);
  if (counting === 'included') {
    if (caches > total) return;
    usage.promptTokens = total;
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

/** Null where none was reported, `BROKEN` where a reported value is invalid or contradicts another. */
function cacheWrites({ cacheWrite, cacheWrite5m, cacheWrite1h }: ReportedPrompt): CacheWrites | null {
  if (cacheWrite == null && cacheWrite5m == null && cacheWrite1h == null) return null;
  if (isBrokenCount(cacheWrite) || isBrokenCount(cacheWrite5m) || isBrokenCount(cacheWrite1h)) return BROKEN;
  const all = tokenCount(cacheWrite);
  const oneHour = tokenCount(cacheWrite1h);
  const fiveMinutes = tokenCount(cacheWrite5m) ?? (all === undefined ? undefined : all - (oneHour ?? 0));
  if (fiveMinutes !== undefined && fiveMinutes < 0) return BROKEN;
  if (all !== undefined && (fiveMinutes ?? 0) + (oneHour ?? 0) !== all) return BROKEN;
  return { fiveMinutes, oneHour };
}
