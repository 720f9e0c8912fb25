import type { Kind } from '../../actors/runtime/index.ts';
import type { Database } from './world/database.ts';

/** A deliberate bug, injected for the duration of one run. */
export interface Mutation {
  readonly name: string;
  /** The first seed that catches it, as last measured. */
  readonly caughtBy: number;
  /** Replaces the database. */
  readonly database?: (options: ConstructorParameters<typeof Database>[0]) => Database;
  /** Replaces the actor kinds. */
  readonly kinds?: (sound: readonly Kind[]) => readonly Kind[];
  /** Patches the runtime; returns the function that restores it. */
  readonly begin?: () => () => void;
}
