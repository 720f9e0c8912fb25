import { join } from 'node:path';
import { storeDatabase } from '../support/auditor/store-database.ts';
import { storeFile } from '../support/auditor/store-file.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { openDatabase } from '../support/postgres/database.ts';

export const STORE_KINDS = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

/** The store of one run: its configuration for the cluster, and read access for the audit. */
interface ChaosStore {
  readonly config: { readonly kind: StoreKind; readonly url?: string; readonly keysUrl?: string };
  view(data: string): StoreView;
  close(): Promise<void>;
}

/** Two databases of its own, one of them for keys, on a server of this process (or `POSTGRES_URL`), or the file in the cluster's data folder. */
export async function openChaosStore(kind: StoreKind): Promise<ChaosStore> {
  if (kind === 'sqlite') {
    return { config: { kind }, view: (data) => storeFile(join(data, 'troupe.db')), close: async () => {} };
  }
  const [database, keys] = [await openDatabase(), await openDatabase()];
  const close = async (): Promise<void> => void (await Promise.all([database.drop(), keys.drop()]));
  return { config: { kind, url: database.url, keysUrl: keys.url }, view: () => storeDatabase(database.url), close };
}
