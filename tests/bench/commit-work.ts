/**
 * What each writer of the benchmark puts into one commit: as many actors and rows as a busy node has in a batch, spread
 * over so many that the pages differ from commit to commit.
 */
export const ACTORS_PER_COMMIT = 32;
export const ACTORS = 10_000;
/** A snapshot of an account is about as long. */
export const SNAPSHOT = JSON.stringify({ status: 'active', value: 'open', context: { filler: 'x'.repeat(400) } });
