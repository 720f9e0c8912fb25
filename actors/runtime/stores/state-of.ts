/** How nearly every snapshot begins. The rest need not be read then: 0.1 us, where all of an account's take 3. */
const PLAIN = /^\{(?:"sum":"[^"\\]*",)?"value":"([^"\\]*)"/;

/**
 * The state an operator sees of a stored snapshot: its first level, as `census` counts it. A compound state gives its
 * own name, parallel regions give `region.state` joined by commas. Never throws: a text whose state it
 * cannot read is `unknown`.
 */
export function stateOf(snapshot: string): string {
  const plain = PLAIN.exec(snapshot);
  if (plain !== null) return plain[1] as string;
  const state = firstLevels(snapshot);
  // No chart names a state so; PostgreSQL could not store it.
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
