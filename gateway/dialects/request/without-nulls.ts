/** A map without its null entries, which count as absent. The same map when there are none. */
export function withoutNulls<T>(map: Readonly<Record<string, T | null>>): Readonly<Record<string, T>> {
  for (const name in map) {
    if (map[name] !== null) continue;
    // Defines own members under any name, so no name can reach a prototype.
    return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null)) as Record<string, T>;
  }
  return map as Readonly<Record<string, T>>;
}
