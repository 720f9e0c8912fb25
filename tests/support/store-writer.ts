/**
 * A process that writes one actor's versions into a SQLite store, one commit after another, each with its own row:
 * `store-writer.ts PATH NAME COMMITS [SHARD] [COHORT]`. Starts once COHORT nodes have registered. Prints one line of
 * JSON about the acknowledged commits. For store tests.
 */
import { statSync } from 'node:fs';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import { actor, node, row, SHARDS, write } from '../contracts/store/records.ts';

export interface WriterReport {
  readonly acknowledged: number;
  readonly worstMs: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The maximum size of the log in bytes: its file never shrinks while a process has it open. */
  readonly logBytes: number;
}

const [path = '', name = '', commits = '', shard = '7', cohort = '1'] = process.argv.slice(2);
const store = await openSqliteStore({
  path,
  shards: SHARDS,
  clock: systemClock,
  random: systemRandom,
  busyBoundMs: 10_000,
});
await store.register(node(name, name));
while ((await store.heartbeat({ incarnation: name, reaches: [], state: 'up' })).nodes.length < Number(cohort));
const taken = await store.claim(name, [{ shard: Number(shard), owner: null, epoch: 0 }]);
if (taken.length !== 1) throw new Error(`shard ${shard} was not free`);

const address = `account:${name}`;
let acknowledged = 0;
let worstMs = 0;
const startedAt = Date.now();
for (let version = 1; version <= Number(commits); version++) {
  const before = performance.now();
  const [verdict] = await store.commit([
    write(
      { owner: name, epoch: 1 },
      {
        shard: Number(shard),
        actors: [{ record: actor(address, version, { shard: Number(shard) }), expected: version - 1 }],
        rowsPut: [row(`${name}-${version}`, { address, sort: version })],
      },
    ),
  ]);
  if (!verdict?.committed) throw new Error(`commit ${version} was refused`);
  acknowledged += 1;
  worstMs = Math.max(worstMs, performance.now() - before);
}
const report: WriterReport = {
  acknowledged,
  worstMs,
  startedAt,
  endedAt: Date.now(),
  logBytes: statSync(`${path}-wal`).size,
};
await store.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
