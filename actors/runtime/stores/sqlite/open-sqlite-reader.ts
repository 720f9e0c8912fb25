import type { Store } from '../../ports/store.ts';
import { connect, openingAdvice } from './connect.ts';
import { reader } from './reader.ts';

export type StoreReader = Pick<Store, 'census' | 'states' | 'loadActor' | 'close'>;

/**
 * The reading half of the store alone, for tools: changes nothing in the file, not even its schema, and may run beside
 * the nodes that serve it. Throws one line that names the file when it is not there or not understood.
 */
export function openSqliteReader(path: string): StoreReader {
  try {
    const connection = connect(path, 'read');
    try {
      const from = reader(connection);
      return {
        census: async () => from.census(),
        states: async () => from.states(),
        loadActor: async (address) => from.loadActor(address),
        close: async () => void connection.close(),
      };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw new Error(openingAdvice(path, error), { cause: error });
  }
}
