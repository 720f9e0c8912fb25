/** Names of providers or values shown in one list, and characters of each. */
const NAMES_MAX = 10;
const NAME_CHARACTERS_MAX = 64;

/** Names as part of a sentence, each once. */
export function listed(names: Iterable<string>): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, NAMES_MAX).map((name) => name.slice(0, NAME_CHARACTERS_MAX));
  return shown.join(', ') + (unique.length > NAMES_MAX ? `, and ${unique.length - NAMES_MAX} more` : '');
}
