import { join } from 'node:path';
import Database from 'better-sqlite3';
import { kindOf, ownerHash, ownerOf, shardOf } from '../../../actors/runtime/actor/address.ts';
import { SHARDS, type TestCluster } from './start-cluster.ts';

/**
 * Stores an actor whose snapshot is no JSON; a key has a copy of the credential of `key`, and an account of the profile of
 * that key's account, which are whole.
 */
export function storeDamaged({ folder }: Pick<TestCluster, 'folder'>, address: string, key = ''): void {
  const whole = { key, account: `account:${key === '' ? '' : ownerOf(key)}` };
  const database = new Database(join(folder, 'troupe.db'));
  const place = [kindOf(address), ownerHash(ownerOf(address)), shardOf(address, SHARDS)];
  database
    .prepare(
      `INSERT INTO actors (address, kind, hash, shard, version, chart, owner, state, since, snapshot, transitions)
        SELECT ?, ?, ?, ?, 1, chart, ?, state, since, 'no JSON', '[]' FROM actors WHERE kind = ? LIMIT 1`,
    )
    .run(address, ...place, ownerOf(address), kindOf(address));
  database
    .prepare(
      `INSERT INTO rows (address, collection, id, sort, index0, index1, open, body)
        SELECT ?, collection, CASE collection WHEN 'profile' THEN ? ELSE 'other' END, sort, index0, 'other', open,
          replace(body, address, ?)
        FROM rows WHERE collection IN ('credential', 'profile') AND address = ?`,
    )
    .run(address, address, address, whole[kindOf(address) as keyof typeof whole] ?? '');
  database.close();
}
