import type { ShardVerdict, ShardWrite } from '../../../actors/runtime/ports/store.ts';
import type { Mutation } from '../mutation.ts';
import { Database } from '../world/database.ts';

/** Accepts a write without checking the stored version of its actors. */
class Unversioned extends Database {
  override judge(writes: readonly ShardWrite[]): readonly ShardVerdict[] {
    const stored = (address: string): number => this.tables.loadActor(address)?.actor.version ?? 0;
    return super.judge(
      writes.map((write) => ({
        ...write,
        actors: write.actors.map(({ record }) => ({ record, expected: stored(record.address) })),
        stopped: write.stopped.map(({ address }) => ({ address, expected: stored(address) })),
      })),
    );
  }
}

export const noVersionCheck: Mutation = {
  name: 'version check dropped',
  caughtBy: 61,
  database: (options) => new Unversioned(options),
};
