import { UnfitDatabase } from '../migration.ts';
import type { StoreReader } from '../store-reader.ts';
import { connect, openingAdvice, type SqliteConnection } from './connect.ts';
import { refuseNewer } from './migrate.ts';
import { reader } from './reader.ts';

/**
 * The read operations of the store, for tools. It changes nothing in the file, not even the schema, and can run beside
 * the nodes that use it. Throws one line that names the file when it is missing or cannot be read.
 */
export function openSqliteReader(path: string): StoreReader {
  try {
    const connection = connect(path, 'read');
    try {
      if (holdsCluster(connection)) refuseNewer(connection, path);
      const from = reader(connection);
      return {
        actorCounts: async () => from.actorCounts(),
        states: async () => from.states(),
        loadActor: async (address) => from.loadActor(address),
        close: async () => void connection.close(),
      };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(path, error), { cause: error });
  }
}

function holdsCluster(connection: SqliteConnection): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get() !== undefined;
}
