import type { StoreChoice } from './open-store.ts';
import type { StoreReader } from './store-reader.ts';

/**
 * The chosen store for tools: changes nothing in it, not even its schema, and may run beside the nodes that serve it.
 * Only the code of that store is loaded. Rejects with one line that names the database.
 */
export async function openStoreReader(choice: StoreChoice): Promise<StoreReader> {
  if (choice.kind === 'sqlite') return (await import('./sqlite/open-sqlite-reader.ts')).openSqliteReader(choice.path);
  return (await import('./postgres/open-postgres-reader.ts')).openPostgresReader(choice);
}
