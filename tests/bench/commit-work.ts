/**
 * The content of one commit of each writer: as many actors and rows as a batch of a busy node, spread
 * over so many that the pages differ from commit to commit.
 */
export const ACTORS_PER_COMMIT = 32;
export const ACTORS = 10_000;
/** About the length of an account's snapshot. */
export const SNAPSHOT = JSON.stringify({ status: 'active', value: 'open', context: { filler: 'x'.repeat(400) } });
