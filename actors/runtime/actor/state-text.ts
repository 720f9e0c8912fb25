/**
 * A state value as text, as operators, histories and the lists of actors have it: `active`, `open.paused`, and the paths
 * of parallel regions joined by a plus, each from the root: `open.door.ajar+open.light.on`.
 */

export function stateText(value: unknown): string {
  return typeof value === 'string' ? value : pathsIn(value).join('+');
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = pathsIn(inner).filter((path) => path !== '');
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}

/** Every state that an actor with this text is in: the innermost ones, and those around them. Each once. */
export function statesIn(text: string): readonly string[] {
  const paths = text.split('+').map((path) => path.split('.'));
  return [...new Set(paths.flatMap((names) => names.map((_, at) => names.slice(0, at + 1).join('.'))))];
}

/** `wanted` may name a state at any depth, and several regions joined by a plus: the actor is in all of them. */
export function isInState(text: string, wanted: string): boolean {
  const paths = text.split('+');
  return wanted.split('+').every((state) => paths.some((path) => path === state || path.startsWith(`${state}.`)));
}
