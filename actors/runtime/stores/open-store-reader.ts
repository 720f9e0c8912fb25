import type { Store } from '../ports/store.ts';
import type { StoreChoice } from './open-store.ts';

/** The reading half of a store, as far as tools ask it. */
export type StoreReader = Pick<Store, 'census' | 'states' | 'loadActor' | 'close'>;

/**
 * The chosen store for tools: changes nothing in it, not even its schema, and may run beside the nodes that serve it.
 * Only the code of that store is loaded. Rejects with one line that names the database.
 */
export async function openStoreReader(choice: StoreChoice): Promise<StoreReader> {
  if (choice.kind === 'sqlite') return (await import('./sqlite/open-sqlite-reader.ts')).openSqliteReader(choice.path);
  return (await import('./postgres/open-postgres-reader.ts')).openPostgresReader(choice);
}
