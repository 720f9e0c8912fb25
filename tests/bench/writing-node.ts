/**
 * One writer of the writers benchmark over the real store: `writing-node DATABASE NAME SHARD`. Owns one shard and
 * commits batches to it as the runtime does, one at a time. Receives the seconds to run over IPC; answers each time.
 */

import type { ActorWrite } from '../../actors/runtime/ports/store.ts';
import config from '../../cluster.config.ts';
import { actor, own, row, write } from '../contracts/store/records.ts';
import { openBenchStore } from './bench-store.ts';
import { commitLoop } from './commit-loop.ts';
import { ACTORS, ACTORS_PER_COMMIT, SNAPSHOT } from './commit-work.ts';

const [path = '', name = '', shardText = ''] = process.argv.slice(2);
const shard = Number(shardText);
const store = await openBenchStore(path);
const fence = await own(store, name, [shard]);
if (shard >= config.runtime.shards) throw new Error(`there is no shard ${shard}`);
const versions = new Uint32Array(ACTORS);
let next = 0;

function putOne(turn: number): { readonly actor: ActorWrite; readonly row: ReturnType<typeof row> } {
  const at = next++ % ACTORS;
  const expected = versions[at] as number;
  versions[at] = expected + 1;
  const address = `account:${name}-${at}`;
  return {
    actor: { record: actor(address, expected + 1, { shard, hash: shard, snapshot: SNAPSHOT }), expected },
    row: row(`${name}-${turn}-${at}`, { address, sort: turn }),
  };
}

const run = commitLoop(async (turn) => {
  const puts = Array.from({ length: ACTORS_PER_COMMIT }, () => putOne(turn));
  const [verdict] = await store.commit([
    write(fence, { shard, actors: puts.map((put) => put.actor), rowsPut: puts.map((put) => put.row) }),
  ]);
  if (!verdict?.committed) throw new Error(`${name}: a commit was refused`);
});

process.on('message', (seconds: number) => void run(seconds).then((took) => process.send?.(took)));
process.on('disconnect', () => void store.close().then(() => process.exit(0)));
process.send?.('ready');
