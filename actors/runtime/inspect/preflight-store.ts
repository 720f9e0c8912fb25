import { register } from '../actor/charts/register.ts';
import type { Kind } from '../actor/kind.ts';
import type { StoreChoice } from '../stores/open-store.ts';
import { openStoreReader } from '../stores/open-store-reader.ts';
import { type Preflight, preflight } from './preflight.ts';

/** Runs `preflight` on a store that nodes may be serving at the same time; reads only. */
export async function preflightStore(choice: StoreChoice, kinds: readonly Kind[]): Promise<Preflight> {
  const store = await openStoreReader(choice);
  try {
    return await preflight(new Map(kinds.map((kind) => [kind.name, register(kind)])), store);
  } finally {
    await store.close();
  }
}
