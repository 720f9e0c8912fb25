/**
 * Reads a state as the runtime writes it: `open.paused`, regions of a parallel state joined by a plus, the note of its
 * kind in brackets.
 */

/** The part of a chart that names its states. */
export interface NamedStates {
  readonly name: string;
  readonly type: string;
  readonly states: readonly NamedStates[];
}

/** The paths of all innermost states that the actor is in. */
export function pathsOfState(text: string, chart: NamedStates): readonly string[] {
  const words = text.split(' (')[0]?.trim() ?? '';
  if (words === '') return [];
  const paths: string[] = [];
  for (const part of words.split('+')) paths.push(fromRoot(part, paths.at(-1) ?? null, chart));
  return paths;
}

/** A further region is written without the states around it: those of the region before it, from the inside. */
function fromRoot(part: string, before: string | null, chart: NamedStates): string {
  const around = before?.split('.') ?? [];
  for (let depth = around.length - 1; depth > 0; depth--) {
    const path = `${around.slice(0, depth).join('.')}.${part}`;
    if (parallelAt(around.slice(0, depth), chart) && has(path, chart)) return path;
  }
  return part;
}

function parallelAt(names: readonly string[], chart: NamedStates): boolean {
  return stateAt(names, chart)?.type === 'parallel';
}

function has(path: string, chart: NamedStates): boolean {
  return stateAt(path.split('.'), chart) !== null;
}

function stateAt(names: readonly string[], chart: NamedStates): NamedStates | null {
  let state: NamedStates | null = chart;
  for (const name of names) state = state?.states.find((child) => child.name === name) ?? null;
  return state;
}

/** True for a state and everything inside it. */
export function isWithin(outer: string, path: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}
