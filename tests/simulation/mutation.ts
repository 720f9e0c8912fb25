import type { Kind } from '../../actors/runtime/index.ts';
import type { Database } from './world/database.ts';

/** One deliberate bug: built in from outside, for the length of a run. */
export interface Mutation {
  readonly name: string;
  /** The first seed that catches it, as measured last. */
  readonly caughtBy: number;
  /** Another database than the sound one. */
  readonly database?: (options: ConstructorParameters<typeof Database>[0]) => Database;
  /** Other kinds of actor. */
  readonly kinds?: (sound: readonly Kind[]) => readonly Kind[];
  /** Changes a part of the runtime; returns the way back. */
  readonly begin?: () => () => void;
}
