/**
 * A value in the spelling that the endpoint declares, ignoring letter case (`2K` and `2k`); undefined if undeclared.
 */
export function declaredSpelling(value: unknown, declared: readonly string[]): string | undefined {
  const written = String(value).toLowerCase();
  return declared.find((word) => word.toLowerCase() === written);
}
