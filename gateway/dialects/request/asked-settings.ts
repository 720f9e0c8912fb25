/**
 * The settings among `names` that a request asks for, under their wire names. What asks for nothing is left out: null
 * and an empty list.
 */
export function askedSettings<T extends object>(
  body: T,
  names: readonly (keyof T & string)[],
): Record<string, unknown> {
  const asked: Record<string, unknown> = {};
  // Most bodies hold none of them, and few members at all: to look over those is cheaper than to ask for each of ours.
  if (!holdsAny(body, names)) return asked;
  for (const name of names) {
    const value = body[name];
    if (value != null && !(Array.isArray(value) && value.length === 0)) asked[name] = value;
  }
  return asked;
}

function holdsAny(body: object, names: readonly string[]): boolean {
  for (const name in body) if (names.includes(name)) return true;
  return false;
}
