/**
 * The recorded steps of an actor, read from the store on any node: nothing is activated. Pages are newest first; a state
 * is rebuilt from at most `WHOLE_EVERY` records.
 */
import { systemCollections } from '../actor/cascade/row-writes.ts';
import { type RebuiltStep, rebuild, type StoredStep } from '../actor/history/rebuild.ts';
import { type StepBody, versionOfRecord, WHOLE_EVERY } from '../actor/history/step-record.ts';
import type { RowRecord, Store } from '../ports/store.ts';

type Reader = Pick<Store, 'rows'>;

const STEPS = systemCollections.steps.name;
const PAGE = 500;

/** The actors that are or were recorded on request lately, at most `limit`. */
export async function recordedOnRequest(store: Reader, limit: number): Promise<readonly string[]> {
  const rows = await store.rows({ collection: systemCollections.recording.name, limit });
  return rows.map(({ address }) => address);
}

/** At most `limit` recorded steps older than the version `before`, newest first. */
export async function storedSteps(
  store: Reader,
  address: string,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<readonly StoredStep[]> {
  const after = before === undefined ? {} : { after: { sort: before, id: '' } };
  const rows = await store.rows({ collection: STEPS, address, order: 'descending', limit, ...after });
  return rows.map(stepOf);
}

/** One step with the states around it; null if it is not recorded, or its state can no longer be rebuilt. */
export async function rebuiltStep(store: Reader, address: string, version: number): Promise<RebuiltStep | null> {
  const newest = await storedSteps(store, address, { before: version + 1, limit: WHOLE_EVERY });
  if (newest[0]?.version !== version) return null;
  const [found] = [...rebuild(newest.toReversed())].slice(-1);
  return found?.version === version ? found : null;
}

/** All recorded steps of an actor with their states, oldest first. */
export async function* rebuiltSteps(store: Reader, address: string): AsyncGenerator<RebuiltStep> {
  const steps: StoredStep[] = [];
  for (let after: { sort: number; id: string } | null = { sort: -1, id: '' }; after !== null; ) {
    const rows: readonly RowRecord[] = await store.rows({ collection: STEPS, address, after, limit: PAGE });
    steps.push(...rows.map(stepOf));
    const last = rows.at(-1);
    after = rows.length < PAGE || last === undefined ? null : { sort: last.sort, id: last.id };
  }
  yield* rebuild(steps);
}

function stepOf({ id, body }: RowRecord): StoredStep {
  return { version: versionOfRecord(id), body: JSON.parse(body) as StepBody };
}
