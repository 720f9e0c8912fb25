import { VIOLATIONS } from './json-refusal.ts';

/**
 * Checks a parsed body for defects that `JSON.parse` accepts although parsers disagree about them: a name repeated in
 * one object, a number beyond the range of a double, half of a surrogate pair. The depth was bounded before. (spec:
 * reliability, attack 60)
 */

/** Null if the value is valid, else the violation. `members` is the number of members in the text. */
export function verifyJson(value: unknown, members: number): string | null {
  const seen: JsonCounts = { members: 0, violation: null };
  visit(value, seen);
  if (seen.violation !== null) return seen.violation;
  return seen.members === members ? null : VIOLATIONS.repeated;
}

interface JsonCounts {
  members: number;
  violation: string | null;
}

function visit(value: unknown, seen: JsonCounts): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) seen.violation = VIOLATIONS.halfPair;
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) seen.violation = VIOLATIONS.range;
  } else if (Array.isArray(value)) {
    for (const entry of value) visit(entry, seen);
  } else if (typeof value === 'object' && value !== null) {
    // Objects from `JSON.parse` inherit no enumerable member.
    for (const name in value) {
      seen.members++;
      if (!name.isWellFormed()) seen.violation = VIOLATIONS.halfPairInName;
      visit((value as Record<string, unknown>)[name], seen);
    }
  }
}
