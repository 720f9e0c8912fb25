import type { Store } from '../ports/store.ts';

/** The read operations of a store that tools need. */
export type StoreReader = Pick<Store, 'actorCounts' | 'states' | 'loadActor' | 'close'>;
