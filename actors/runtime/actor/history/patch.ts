/**
 * The difference of two JSON values as a list of changed places. Charts change few members of a large context and keep
 * the others by reference, so a place whose value is the same object is skipped without a look inside.
 */
import type { Json } from '../event.ts';

/** Members and indexes from the root to one place. */
type Path = readonly (string | number)[];

/** A place and its new value; without a value the place is removed. */
type Change = readonly [path: Path] | readonly [path: Path, value: Json];

export type Patch = readonly Change[];

/** One place at which two values differ; a value that one of them lacks is absent. */
interface ValueDifference {
  readonly path: Path;
  readonly before?: Json;
  readonly after?: Json;
}

type Members = Readonly<Record<string, Json | undefined>>;

/** What `before` needs to become `after`. Members with the value undefined count as absent, as in JSON text. */
export function patchBetween(before: Json, after: Json): Patch {
  return differences(before, after).map(({ path, after: value }): Change => {
    return value === undefined ? [path] : [path, value];
  });
}

/** The places at which the values differ, in the order of their members. */
export function differences(before: Json, after: Json): readonly ValueDifference[] {
  const found: ValueDifference[] = [];
  compare(before, after, [], found);
  return found;
}

function compare(before: Json | undefined, after: Json | undefined, path: Path, found: ValueDifference[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after) && after.length >= before.length) {
    for (let i = 0; i < after.length; i++) compare(before[i], after[i], [...path, i], found);
  } else if (isMembers(before) && isMembers(after)) {
    for (const name of namesOf(before, after)) compare(own(before, name), own(after, name), [...path, name], found);
  } else {
    found.push({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }
}

function namesOf(before: Members, after: Members): readonly string[] {
  const names = Object.keys(after);
  for (const name in before) if (!Object.hasOwn(after, name)) names.push(name);
  return names;
}

/** Names of members may be those of every object, such as `constructor`. */
function own(value: Members, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value after a patch; `value` itself is unchanged. Throws on a patch that does not fit the value. */
export function patched(value: Json, patch: Patch): Json {
  let result = value;
  for (const change of patch) result = changed(result, change, 0);
  return result;
}

function changed(value: Json | undefined, change: Change, depth: number): Json {
  const [path] = change;
  if (depth === path.length) return change[1] as Json;
  const step = path[depth] as string | number;
  if (typeof step === 'number') {
    if (!Array.isArray(value) || step > value.length) throw new Error(`no list at ${path.join('.')}`);
    return value.toSpliced(step, 1, changed((value as Json[])[step], change, depth + 1));
  }
  if (!isMembers(value)) throw new Error(`no members at ${path.join('.')}`);
  if (depth === path.length - 1 && change.length === 1) {
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== step));
  }
  return { ...value, [step]: changed(own(value, step), change, depth + 1) };
}

/** JSON text with the members of every object in order: equal for equal values, whatever built them. */
export function canonicalText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${(value as Json[]).map((item) => canonicalText(item ?? null)).join(',')}]`;
  if (!isMembers(value)) return JSON.stringify(value ?? null);
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalText(member)}`;
  }
  return `{${text}}`;
}
