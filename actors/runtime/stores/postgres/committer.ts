/**
 * Commits over several connections. A shard's connection is its number modulo the number of connections, so a shard's
 * commits never overtake each other, however many are in flight.
 */
import { type ShardVerdict, type ShardWrite, StoreOutcomeUnknown, StoreRefused } from '../../ports/store.ts';
import type { ConnectionLane } from './connection-lane.ts';
import { packCommit } from './packed-commit.ts';

const PARAMETERS = packCommit([]).length;
const COMMIT = {
  name: 'commit_batch',
  text: `SELECT commit_batch_1(${Array.from({ length: PARAMETERS }, (_, i) => `$${i + 1}`).join(', ')}) AS verdicts`,
} as const;

const REASONS = [null, 'fence', 'version'] as const;

export function committer(
  lanes: readonly ConnectionLane[],
): (writes: readonly ShardWrite[]) => Promise<readonly ShardVerdict[]> {
  async function commit(lane: ConnectionLane, writes: readonly ShardWrite[]): Promise<readonly ShardVerdict[]> {
    const { rows } = await lane.call<{ verdicts: number[] }>({ ...COMMIT, values: packCommit(writes) }, 'change');
    return writes.map(({ shard }, i) => verdictOf(shard, rows[0]?.verdicts[i]));
  }

  return async (writes) => {
    const portions = split(writes, lanes.length);
    const [only] = portions;
    if (only === undefined) return [];
    if (portions.length === 1) return commit(lanes[only.lane] as ConnectionLane, writes);
    const outcomes = await Promise.allSettled(
      portions.map(({ lane, at }) =>
        commit(
          lanes[lane] as ConnectionLane,
          at.map((i) => writes[i] as ShardWrite),
        ),
      ),
    );
    return combine(writes, portions, outcomes);
  };
}

/** Writes of one connection, as indexes into the batch. A second write of the same shard goes into a later portion. */
interface Portion {
  readonly lane: number;
  readonly shards: Set<number>;
  readonly at: number[];
}

function split(writes: readonly ShardWrite[], lanes: number): readonly Portion[] {
  const portions: Portion[] = [];
  writes.forEach(({ shard }, i) => {
    const lane = shard % lanes;
    let portion = portions.findLast((each) => each.lane === lane);
    if (portion === undefined || portion.shards.has(shard)) {
      portion = { lane, shards: new Set(), at: [] };
      portions.push(portion);
    }
    portion.shards.add(shard);
    portion.at.push(i);
  });
  return portions;
}

/** Combines the results of all portions. When only some failed, the outcome of the whole is unknown. */
function combine(
  writes: readonly ShardWrite[],
  portions: readonly Portion[],
  outcomes: readonly PromiseSettledResult<readonly ShardVerdict[]>[],
): readonly ShardVerdict[] {
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const [first] = failed;
  if (first !== undefined) {
    if (failed.length === outcomes.length && failed.every((error) => error instanceof StoreRefused)) throw first;
    throw first instanceof StoreOutcomeUnknown ? first : new StoreOutcomeUnknown(first.message, { cause: first });
  }
  const verdicts = new Array<ShardVerdict>(writes.length);
  portions.forEach(({ at }, portion) => {
    const outcome = outcomes[portion] as PromiseFulfilledResult<readonly ShardVerdict[]>;
    at.forEach((place, i) => {
      verdicts[place] = outcome.value[i] as ShardVerdict;
    });
  });
  return verdicts;
}

function verdictOf(shard: number, code: number | undefined): ShardVerdict {
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason === undefined) throw new StoreOutcomeUnknown(`the server returned no verdict for shard ${shard}`);
  return reason === null ? { shard, committed: true } : { shard, committed: false, reason };
}
