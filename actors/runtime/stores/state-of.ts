/**
 * Prefix of nearly every snapshot, matched without parsing the rest: 0.1 us instead of 3 us for an account's snapshot.
 */
const PLAIN = /^\{"value":"([^"\\]*)"/;

/**
 * The state that operators see for a stored snapshot: its first level, as `actorCounts` groups it. A compound state
 * gives its own name; parallel regions give `region.state` joined by commas. Never throws: returns `unknown` for text
 * without a readable state.
 */
export function stateOf(snapshot: string): string {
  const plain = PLAIN.exec(snapshot);
  if (plain !== null) return plain[1] as string;
  const state = firstLevels(snapshot);
  // PostgreSQL cannot store NUL characters; no chart uses them in a state's name.
  return state.includes('\0') ? state.replaceAll('\0', '\ufffd') : state;
}

function firstLevels(snapshot: string): string {
  let value: unknown;
  try {
    value = (JSON.parse(snapshot) as { value?: unknown } | null)?.value;
  } catch {
    return 'unknown';
  }
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return 'unknown';
  const regions = Object.entries(value);
  if (regions.length === 1) return regions[0]?.[0] ?? 'unknown';
  return regions.map(([region, inner]) => `${region}.${firstLevel(inner)}`).join(',') || 'unknown';
}

function firstLevel(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? (Object.keys(value)[0] ?? '') : '';
}
