/** A value as an endpoint writes it, where letter case alone differs (`2K` and `2k`); undefined where it is not declared. */
export function declaredSpelling(value: unknown, declared: readonly string[]): string | undefined {
  const written = String(value).toLowerCase();
  return declared.find((word) => word.toLowerCase() === written);
}
