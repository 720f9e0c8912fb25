import type { Store } from '../ports/store.ts';

/** The reading half of a store, as far as tools ask it. */
export type StoreReader = Pick<Store, 'actorCounts' | 'states' | 'loadActor' | 'close'>;
