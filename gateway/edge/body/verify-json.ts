import { FLAWS } from './body-refusal.ts';

/**
 * Looks over a parsed body for what `JSON.parse` lets through although readers would disagree about it: a name written
 * twice in one object, a number beyond the range of a double, half of a surrogate pair. The depth was bounded before.
 * (spec: reliability, attack 60)
 */

/** Null when the value is sound, else what is wrong with it. `members` is how many the text wrote. */
export function verifyJson(value: unknown, members: number): string | null {
  const seen: JsonCounts = { members: 0, flaw: null };
  visit(value, seen);
  if (seen.flaw !== null) return seen.flaw;
  return seen.members === members ? null : FLAWS.repeated;
}

interface JsonCounts {
  members: number;
  flaw: string | null;
}

function visit(value: unknown, seen: JsonCounts): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) seen.flaw = FLAWS.halfPair;
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) seen.flaw = FLAWS.range;
  } else if (Array.isArray(value)) {
    for (const entry of value) visit(entry, seen);
  } else if (typeof value === 'object' && value !== null) {
    // What `JSON.parse` made inherits no member that could be met here.
    for (const name in value) {
      seen.members++;
      if (!name.isWellFormed()) seen.flaw = FLAWS.halfPairInName;
      visit((value as Record<string, unknown>)[name], seen);
    }
  }
}
