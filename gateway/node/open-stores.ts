import { join } from 'node:path';
import { type ByteStores, openByteStores } from '../../actors/runtime/stores/open/byte-stores.ts';
import { type OpenedStore, openStore } from '../../actors/runtime/stores/open/store.ts';
import { storeChoice } from '../operator/config/store-choice.ts';
import type { NodeContext } from './node-options.ts';

/** The stores of one node: rows and actors, and bytes with the keys that seal them. */
export interface OpenedStores {
  readonly store: OpenedStore;
  readonly bytes: ByteStores;
  close(): Promise<void>;
}

/** Opens the stores that the configuration names. `onFatal` reports a store that failed while the node runs. */
export async function openStores(context: NodeContext, onFatal: (error: Error) => void): Promise<OpenedStores> {
  const { options, clock, random, log } = context;
  const { config, env, name } = options;
  const { data, runtime } = config;
  const parts = { choice: storeChoice(config, env), clock, random };
  const store = await openStore({
    ...parts,
    shards: runtime.shards,
    onFull: (full) =>
      log[full ? 'error' : 'info'](full ? 'the disk is full: new work is refused' : 'the disk has room again'),
    marks: { folder: join(data, 'marks'), node: name },
    onUnmarked: (error) =>
      log.error(
        { why: error.message },
        'the mark of this node cannot be written: a database that is restored from an old copy would not be recognised',
      ),
    onFatal,
  });
  try {
    const bytes = await openByteStores({ ...parts, data, blobBytesMax: runtime.blobBytesMax });
    return {
      store,
      bytes,
      close: async () => void (await Promise.all([store.close(), bytes.blobs.close(), bytes.keys.close()])),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
