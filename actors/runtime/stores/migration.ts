/** What the numbered migrations of every store have in common. */

export type MigrationEffect = 'breaking' | 'compatible';

/** A sound database that this build or configuration must not touch. The message is one line for the operator. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** What the first line of a migration declares: `-- breaking: why` or `-- compatible: why`. */
export function effectOf(sql: string): MigrationEffect {
  const effect = /^-- (breaking|compatible): \S/.exec(sql)?.[1];
  if (effect !== 'breaking' && effect !== 'compatible') {
    throw new Error('the first line of a migration must say `-- breaking: why` or `-- compatible: why`');
  }
  return effect;
}

/** The refusal of a database that a newer build changed in a way this one cannot live with. */
export function newerSchema(database: string, step: number, known: number): UnfitDatabase {
  return new UnfitDatabase(
    `the database ${database} was changed by a newer version (step ${step}, this one knows ${known}): start that version`,
  );
}

/** The refusal of a shard count other than the one the database was made with. */
export function otherShardCount(database: string, settled: number, configured: number): UnfitDatabase {
  return new UnfitDatabase(
    `the database ${database} was made with ${settled} shards, the configuration says ${configured}: set it back`,
  );
}
