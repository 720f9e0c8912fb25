/**
 * The writer's operations on shards and cluster-wide settings. Every change of a shard is a compare-and-set under the
 * write lock that raises its epoch: of two claimers one wins, and no earlier owner can write afterwards.
 */
import type { NodeRow, ShardRow } from '../../ports/store.ts';
import type { SqliteConnection } from './connect.ts';
import { nodeSql } from './statements/nodes.ts';
import { settingSql } from './statements/settings.ts';
import { shardSql } from './statements/shards.ts';

export function ownership(connection: SqliteConnection) {
  const state = connection.prepare<[string], { state: NodeRow['state'] }>(nodeSql.state);
  const move = connection.prepare(shardSql.move);
  const raiseRevision = connection.prepare(shardSql.raiseRevision);
  const createShard = connection.prepare(shardSql.create);
  const writeSetting = connection.prepare(settingSql.writeIfAbsent);
  const readSetting = connection.prepare<[string], { value: string }>(settingSql.read);

  /** Compare-and-set of one shard row; null when the row has changed. */
  function moveShard({ shard, owner, epoch }: ShardRow, to: string): ShardRow | null {
    return move.run(to, shard, owner, epoch).changes === 1 ? { shard, owner: to, epoch: epoch + 1 } : null;
  }

  function mayTakeFrom(holder: string | null, claimer: string): boolean {
    if (holder === null || holder === claimer) return true;
    const held = state.get(holder)?.state;
    return held === undefined || held === 'dead' || held === 'left';
  }

  function setting(name: string, valueIfAbsent: string): string {
    writeSetting.run(name, valueIfAbsent);
    return readSetting.get(name)?.value ?? valueIfAbsent;
  }

  return {
    setting,

    /** Creates the shard rows on first use; returns the count that the database was created with. */
    settleShardCount(count: number): number {
      const settled = Number(setting('shards', String(count)));
      for (let shard = 0; shard < settled; shard++) createShard.run(shard);
      return settled;
    },

    claim(owner: string, from: readonly ShardRow[]): readonly ShardRow[] {
      if (state.get(owner)?.state !== 'up') return [];
      const taken: ShardRow[] = [];
      for (const seen of from) {
        const row = mayTakeFrom(seen.owner, owner) ? moveShard(seen, owner) : null;
        if (row) taken.push(row);
      }
      if (taken.length > 0) raiseRevision.run();
      return taken;
    },

    give(from: ShardRow, to: string): ShardRow | null {
      if (from.owner === null || state.get(to)?.state !== 'up') return null;
      const row = moveShard(from, to);
      if (row) raiseRevision.run();
      return row;
    },
  };
}
