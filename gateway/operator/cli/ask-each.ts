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
