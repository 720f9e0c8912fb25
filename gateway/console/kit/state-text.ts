/**
 * Reads a state as the runtime writes it: `open.paused`, the paths of parallel regions joined by a plus, the note of its
 * kind in brackets.
 */

/** The paths of all innermost states that the actor is in. */
export function pathsOfState(text: string): readonly string[] {
  const words = text.split(' (')[0]?.trim() ?? '';
  return words === '' ? [] : words.split('+');
}

/** True for a state and everything inside it. */
export function isWithin(outer: string, path: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}
