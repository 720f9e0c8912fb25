import type { ShardRow, ShardVerdict, ShardWrite } from '../../../actors/runtime/ports/store.ts';
import type { Mutation } from '../mutation.ts';
import { Database } from '../world/database.ts';

/** Readers always see the first epoch: a takeover changes the owner only. */
class OneEpoch extends Database {
  override shards(): readonly ShardRow[] {
    return super.shards().map(shown);
  }

  override claim(owner: string, from: readonly ShardRow[]): readonly ShardRow[] {
    return super
      .claim(
        owner,
        from.map((row) => this.#meant(row)),
      )
      .map(shown);
  }

  override give(from: ShardRow, to: string): ShardRow | null {
    const given = super.give(this.#meant(from), to);
    return given === null ? null : shown(given);
  }

  override judge(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    const rows = this.tables.shardRows();
    return super.judge(writes.map((write) => ({ ...write, epoch: (rows[write.shard] as ShardRow).epoch })));
  }

  protected override told(row: ShardRow): ShardRow {
    return shown(row);
  }

  #meant(row: ShardRow): ShardRow {
    const stored = this.tables.shardRows()[row.shard] as ShardRow;
    return { ...row, epoch: row.owner === stored.owner ? stored.epoch : row.epoch };
  }
}

function shown(row: ShardRow): ShardRow {
  return { ...row, epoch: Math.min(row.epoch, 1) };
}

export const epochNotBumped: Mutation = {
  name: 'epoch not bumped',
  caughtBy: 61,
  database: (options) => new OneEpoch(options),
};
