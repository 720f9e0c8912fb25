/**
 * A process that commits a pair of actors repeatedly and records each acknowledged version: `writer.ts DATABASE COMMITS
 * LARGE BOOK`. After half of the commits LARGE large ones follow, which force a checkpoint and a restart of the log.
 */
import { openSync, writeSync } from 'node:fs';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import { actor, own, row, SHARDS, write } from '../contracts/store/records.ts';

const [path = '', commits = '', large = '', book = ''] = process.argv.slice(2);
const LARGE_BYTES = 1024 * 1024;
const PAIR = ['account:left', 'account:right'];
const HALF = Math.floor(Number(commits) / 2);
const acks = openSync(book, 'a');
const acknowledge = (version: number): unknown => writeSync(acks, `${JSON.stringify({ acknowledged: version })}\n`);
const store = await openSqliteStore({
  path,
  shards: SHARDS,
  clock: systemClock,
  random: systemRandom,
  busyBoundMs: 5_000,
});
const fence = await own(store, 'i1');
acknowledge(0);
for (let version = 1; version <= Number(commits) + Number(large); version++) {
  const isLarge = version > HALF && version <= HALF + Number(large);
  // The letter changes every time, because SQLite does not write unchanged pages.
  const transitions = isLarge ? JSON.stringify(String(version % 10).repeat(LARGE_BYTES)) : '[]';
  const [verdict] = await store.commit([
    write(fence, {
      actors: PAIR.map((address) => ({ record: actor(address, version, { transitions }), expected: version - 1 })),
      rowsPut: [row(`r${version}`, { sort: version })],
    }),
  ]);
  if (!verdict?.committed) throw new Error(`commit ${version} was refused`);
  acknowledge(version);
}
await store.close();
