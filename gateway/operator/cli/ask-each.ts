import type { Session } from './session.ts';

/** Actors of one kind that a command looks at; the most that one call of the cluster lists. */
export const ACTORS_MAX = 10_000;
/** Actors that are asked at a time. */
const ASKS_MAX = 16;

/** The answers for all of them, in their order; a few are asked at a time. Rejects with the first failure. */
export async function askEach<T, A>(all: readonly T[], ask: (one: T) => Promise<A>): Promise<readonly A[]> {
  const answers: A[] = [];
  for (let at = 0; at < all.length; at += ASKS_MAX) {
    answers.push(...(await Promise.all(all.slice(at, at + ASKS_MAX).map(ask))));
  }
  return answers;
}

/** The answers of the actors of one kind, by address; at most `ACTORS_MAX`. */
export async function askAll<A>(
  { operator }: Pick<Session, 'operator'>,
  kind: string,
  ask: (address: string) => Promise<A>,
): Promise<readonly A[]> {
  return askEach(await operator.actors(kind, ACTORS_MAX), ask);
}
