/** A map without its null entries, which count as absent. The same map when there are none. */
export function withoutNulls<T>(map: Readonly<Record<string, T | null>>): Readonly<Record<string, T>> {
  const entries = Object.entries(map);
  const held = entries.filter(([, value]) => value !== null);
  if (held.length === entries.length) return map as Readonly<Record<string, T>>;
  // Defines own members under any name, so no name can reach a prototype.
  return Object.fromEntries(held) as Record<string, T>;
}
