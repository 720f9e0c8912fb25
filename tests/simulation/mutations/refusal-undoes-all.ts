import type { ShardVerdict, ShardWrite } from '../../../actors/runtime/ports/store.ts';
import type { Mutation } from '../mutation.ts';
import { Database } from '../world/database.ts';

const NOBODY = 'nobody';

/** One refused shard takes the whole transaction with it; the others are told that they were written. */
class AllOrNothing extends Database {
  override judge(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    const alone = writes.map((write) => this.#wouldRefuse(write));
    if (alone.every((verdict) => verdict === null)) return super.judge(writes);
    return writes.map(({ shard }, at) => alone[at] ?? { shard, committed: true });
  }

  /** The verdict over a part, without writing it: as it is refused, or null. */
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

export const refusalUndoesAll: Mutation = {
  name: "a refused shard undoes another's part",
  caughtBy: 3,
  database: (options) => new AllOrNothing(options),
};
