import type { StoreChoice, StoreReader } from '../store-choice.ts';

/**
 * Opens the chosen store for tools. It changes nothing, not even the schema, and can run beside the nodes that use the
 * store. Loads only the code of that store. Rejects with one line that names the database.
 */
export async function openStoreReader(choice: StoreChoice): Promise<StoreReader> {
  if (choice.kind === 'sqlite') return (await import('../sqlite/reader.ts')).openSqliteReader(choice.path);
  return (await import('../postgres/reader.ts')).openPostgresReader(choice);
}
