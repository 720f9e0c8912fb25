/**
 * The settings among `names` that a request asks for, under their wire names. What asks for nothing is left out: null
 * and an empty list.
 */
export function requestedSettings<T extends object>(
  body: T,
  names: readonly (keyof T & string)[],
): Record<string, unknown> {
  const asked: Record<string, unknown> = {};
  // Each of ours is asked for: to look over what a body holds is cheaper for most, and a stand of 50 ms for the largest.
  for (const name of names) {
    const value = body[name];
    if (value != null && !(Array.isArray(value) && value.length === 0)) asked[name] = value;
  }
  return asked;
}
