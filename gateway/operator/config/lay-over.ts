/**
 * Merges one configuration over another, member by member. Records are merged; every other value, including lists,
 * replaces the base's. Members unknown to the base are kept, so that the check can refuse them by name.
 */
export function layOver(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over === undefined ? base : over;
  const laid: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    // Plain assignment to `__proto__` would set the prototype and hide the member from the check.
    Object.defineProperty(laid, name, {
      value: Object.hasOwn(base, name) ? layOver(base[name], value) : value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return laid;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
