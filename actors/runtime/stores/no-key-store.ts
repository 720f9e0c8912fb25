import { type KeyStore, KeyStoreUnreachable } from '../ports/key-store.ts';

/** The key store of a cluster that has none: it seals and opens nothing, and so nothing has to be destroyed. */
export const noKeyStore: KeyStore = {
  current: refuse,
  key: refuse,
  sweep: async () => ({ destroyed: 0, kept: 0 }),
  close: async () => {},
};

async function refuse(): Promise<never> {
  throw new KeyStoreUnreachable('no database of sealing keys is configured: set store.keysUrl, or its variable');
}
