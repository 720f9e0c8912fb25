import type { ShardVerdict, ShardWrite } from '../../../actors/runtime/ports/store.ts';
import type { Mutation } from '../mutation.ts';
import { Database } from '../world/database.ts';

const NOBODY = 'nobody';

/** One refused shard aborts the whole transaction, but the other shards get the verdict "committed". */
class AllOrNothing extends Database {
  override judge(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    const refusals = writes.map((write) => this.#wouldRefuse(write));
    if (refusals.every((verdict) => verdict === null)) return super.judge(writes);
    return writes.map(({ shard }, at) => refusals[at] ?? { shard, committed: true });
  }

  /** The refusal of one write without executing it, or null if the write is accepted. */
  #wouldRefuse(write: ShardWrite): ShardVerdict | null {
    const row = this.tables.shardRows()[write.shard];
    if (row?.owner !== write.owner || row.epoch !== write.epoch) {
      return super.judge([{ ...write, owner: NOBODY }])[0] ?? null;
    }
    const stale = write.actors.some(
      ({ record, expected }) => (this.tables.loadActor(record.address)?.actor.version ?? 0) !== expected,
    );
    return stale ? { shard: write.shard, committed: false, reason: 'version' } : null;
  }
}

export const refusalAbortsAll: Mutation = {
  name: "a refused shard undoes another shard's write",
  caughtBy: 6,
  database: (options) => new AllOrNothing(options),
};
