/** Asks many actors, a few at a time. */
import type { Inspection } from '../../actors/runtime/index.ts';

/** A node's own operator, or the client of one. */
export interface Inspector {
  inspect(address: string): Promise<Inspection | null>;
  actors(kind: string, limit: number): Promise<readonly string[]>;
}

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
  { operator }: { readonly operator: Pick<Inspector, 'actors'> },
  kind: string,
  ask: (address: string) => Promise<A>,
): Promise<readonly A[]> {
  return askEach(await operator.actors(kind, ACTORS_MAX), ask);
}

/** Every actor of a kind; one that is quarantined has no context. */
export async function inspectAll(operator: Inspector, kind: string): Promise<readonly Inspection[]> {
  const all = await askAll({ operator }, kind, (address) => operator.inspect(address));
  return all.filter((one) => one !== null);
}
