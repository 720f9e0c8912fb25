import type { Kind } from '../../actors/runtime/index.ts';
import type { Database } from './world/database.ts';

/** A deliberate bug, injected for the duration of one run. */
export interface Mutation {
  readonly name: string;
  /** The first seed that catches it, as last measured: of the suite's seeds, or of a long one from 1. */
  readonly caughtBy: number;
  /** Tried by `npm run simulate -- --mutation all` only: the suite has one of its kind. */
  readonly isLong?: true;
  /** Replaces the database. */
  readonly database?: (options: ConstructorParameters<typeof Database>[0]) => Database;
  /** Replaces the actor kinds. */
  readonly kinds?: (sound: readonly Kind[]) => readonly Kind[];
  /** Patches the runtime; returns the function that restores it. */
  readonly begin?: () => () => void;
}

/** A method under any name, so that the private ones can be named too. */
// biome-ignore lint/suspicious/noExplicitAny: a replacement declares its own arguments.
type Method = (this: any, ...args: any[]) => any;

/**
 * Replaces methods of a class, private ones too, and returns the function that restores them. Throws if the class has
 * no method of that name, so that a rename in the runtime cannot disable a mutation. `replace` receives the originals.
 */
export function patch<Name extends string>(
  of: { readonly name: string; readonly prototype: object },
  names: readonly Name[],
  replace: (sound: Readonly<Record<Name, Method>>) => Readonly<Record<Name, Method>>,
): () => void {
  const prototype = of.prototype as Record<Name, Method>;
  for (const name of names) {
    if (typeof Object.getOwnPropertyDescriptor(prototype, name)?.value !== 'function') {
      throw new Error(`${of.name} has no method ${name} that a mutation could replace`);
    }
  }
  const sound = Object.fromEntries(names.map((name) => [name, prototype[name]])) as Record<Name, Method>;
  Object.assign(prototype, replace(sound));
  return () => void Object.assign(prototype, sound);
}
