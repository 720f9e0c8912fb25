import { type RegisteredKind, register } from '../actor/charts/register.ts';
import { checkSum, restore } from '../actor/charts/snapshot.ts';
import type { Kind } from '../actor/kind.ts';
import type { Store, StoredState } from '../ports/store.ts';
import { openStoreReader } from '../stores/open/store-reader.ts';
import type { StoreChoice } from '../stores/store-choice.ts';

/** A stored state that this build cannot load, and the number of actors in it. */
export interface Unfit extends StoredState {
  readonly why: string;
}

export interface Preflight {
  /** Number of distinct states tried. */
  readonly tried: number;
  readonly actors: number;
  readonly unfit: readonly Unfit[];
}

/**
 * Loads one actor of every distinct stored state with the charts of this build, casters included. Reads only; this
 * build would refuse or quarantine the actors of every state reported as unfit.
 */
export async function preflight(
  kinds: ReadonlyMap<string, RegisteredKind>,
  store: Pick<Store, 'states' | 'loadActor'>,
): Promise<Preflight> {
  const states = await store.states();
  const unfit: Unfit[] = [];
  let actors = 0;
  for (const state of states) {
    actors += state.count;
    const why = await fault(kinds.get(state.kind), state, store);
    if (why !== null) unfit.push({ ...state, why });
  }
  return { tried: states.length, actors, unfit };
}

async function fault(
  kind: RegisteredKind | undefined,
  { kind: name, example }: StoredState,
  store: Pick<Store, 'loadActor'>,
): Promise<string | null> {
  if (kind === undefined) return `this build has no kind called ${name}`;
  // An actor that ended since the states were read needs no chart.
  const stored = await store.loadActor(example);
  if (stored === null) return null;
  try {
    checkSum(stored.actor);
    restore(kind, stored.actor);
    for (const { body } of stored.openRows) JSON.parse(body);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs `preflight` on a store that nodes may be serving at the same time; reads only. */
export async function preflightStore(choice: StoreChoice, kinds: readonly Kind[]): Promise<Preflight> {
  const store = await openStoreReader(choice);
  try {
    return await preflight(new Map(kinds.map((kind) => [kind.name, register(kind)])), store);
  } finally {
    await store.close();
  }
}
