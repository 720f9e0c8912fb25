/**
 * Takes recorded steps again with the charts of this build, from a store that nodes may be serving at the same time, or
 * from a file that another build wrote. Reads only; a step is pure, so nothing is stored and nothing leaves.
 */
import { kindOf } from '../actor/address.ts';
import { type RegisteredKind, register } from '../actor/charts/register.ts';
import { again } from '../actor/history/again.ts';
import type { RebuiltStep } from '../actor/history/rebuild.ts';
import { type ShownAgain, shownAgain, shownStep } from '../actor/history/redacted.ts';
import type { Kind } from '../actor/kind.ts';
import { rebuiltStep, rebuiltSteps, recordedOnRequest } from '../durable/history.ts';
import type { Store } from '../ports/store.ts';
import { openStoreReader } from '../stores/open/store-reader.ts';
import type { StoreChoice } from '../stores/store-choice.ts';

/** Actors of each kind whose histories are taken again before an upgrade: those that changed last. */
const ACTORS_PER_KIND_MAX = 500;

/** A step of an actor, as a line of a file holds it. */
export interface ExportedStep {
  readonly address: string;
  readonly step: RebuiltStep;
}

/** A step that this build takes otherwise, redacted by its kind. */
interface OtherStep extends ShownAgain {
  readonly address: string;
  readonly version: number;
  /** Store time, ms. */
  readonly at: number;
  readonly node: string;
  readonly event: string;
}

export interface Replayed {
  readonly actors: number;
  readonly steps: number;
  /** Steps whose event or rows were too long to record. */
  readonly skipped: number;
  /** The first step taken otherwise; null if there is none. */
  readonly first: OtherStep | null;
}

/** Takes the steps again in their order, until one differs. Throws for a kind that this build does not have. */
export async function replay(
  kinds: ReadonlyMap<string, RegisteredKind>,
  exported: AsyncIterable<ExportedStep>,
): Promise<Replayed> {
  const actors = new Set<string>();
  let steps = 0;
  let skipped = 0;
  for await (const { address, step } of exported) {
    actors.add(address);
    if (step.body.omitted !== undefined) {
      skipped++;
      continue;
    }
    steps++;
    const first = otherStep(kinds, address, step);
    if (first !== null) return { actors: actors.size, steps, skipped, first };
  }
  return { actors: actors.size, steps, skipped, first: null };
}

function otherStep(kinds: ReadonlyMap<string, RegisteredKind>, address: string, step: RebuiltStep): OtherStep | null {
  const kind = kinds.get(kindOf(address));
  if (kind === undefined) throw new Error(`this build has no kind called ${kindOf(address)}`);
  const taken = again(kind, address, step);
  if (taken.equal) return null;
  const { version, at, node, event } = shownStep(kind.kind, step);
  return { ...shownAgain(kind.kind, step, taken), address, version, at, node, event: event.type };
}

/** The charts of a build by the name of their kind. */
export function registered(kinds: readonly Kind[]): ReadonlyMap<string, RegisteredKind> {
  return new Map(kinds.map((kind) => [kind.name, register(kind)]));
}

/** Opens the store for `use` alone. */
export async function withSteps<T>(
  choice: StoreChoice,
  use: (
    steps: (addresses: AsyncIterable<string> | Iterable<string>) => AsyncGenerator<ExportedStep>,
    store: Reader,
  ) => Promise<T>,
): Promise<T> {
  const store = await openStoreReader(choice);
  try {
    return await use((addresses) => stepsOf(store, addresses), store);
  } finally {
    await store.close();
  }
}

/** One recorded step as stored, unredacted; null if it is not recorded. */
export async function oneStep(choice: StoreChoice, address: string, version: number): Promise<RebuiltStep | null> {
  const store = await openStoreReader(choice);
  try {
    return await rebuiltStep(store, address, version);
  } finally {
    await store.close();
  }
}

type Reader = Pick<Store, 'rows' | 'rowById' | 'listActors'>;

async function* stepsOf(
  store: Reader,
  addresses: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ExportedStep> {
  for await (const address of addresses) {
    for await (const step of rebuiltSteps(store, address)) yield { address, step };
  }
}

/** Takes the histories of the actors of every recorded kind again, and of those recorded on request. */
export async function replayStore(choice: StoreChoice, kinds: readonly Kind[]): Promise<Replayed> {
  return withSteps(choice, (steps, store) => replay(registered(kinds), steps(recordedActors(kinds, store))));
}

async function* recordedActors(kinds: readonly Kind[], store: Reader): AsyncGenerator<string> {
  for (const { name, history } of kinds) {
    if (history === undefined || history.always === false) continue;
    const { actors } = await store.listActors({
      kind: name,
      order: 'since',
      newestFirst: true,
      limit: ACTORS_PER_KIND_MAX,
    });
    for (const { address } of actors) yield address;
  }
  yield* await recordedOnRequest(store, ACTORS_PER_KIND_MAX);
}
