/** Shared by the numbered migrations of all stores. */

type MigrationEffect = 'breaking' | 'compatible';

/** An intact database that this build or configuration must not use. The message is one line for the operator. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** The effect declared by a migration's first line: `-- breaking: why` or `-- compatible: why`. */
export function effectOf(sql: string): MigrationEffect {
  const effect = /^-- (breaking|compatible): \S/.exec(sql)?.[1];
  if (effect !== 'breaking' && effect !== 'compatible') {
    throw new Error('the first line of a migration must be `-- breaking: why` or `-- compatible: why`');
  }
  return effect;
}

/** The error for a database with a breaking change of a newer build. */
export function newerSchema(database: string, step: number, known: number): UnfitDatabase {
  return new UnfitDatabase(
    `the database ${database} was changed by a newer version (step ${step}, this version has ${known}): start that version`,
  );
}

/** The error for a shard count other than the database's. */
export function otherShardCount(database: string, settled: number, configured: number): UnfitDatabase {
  return new UnfitDatabase(
    `the database ${database} was created with ${settled} shards, but the configuration says ${configured}: set it back`,
  );
}
