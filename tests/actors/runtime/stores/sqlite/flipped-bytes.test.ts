/**
 * A thousand flipped bytes in stored snapshots: each is detected and quarantines only its actor. Flipped bytes in
 * transition logs change no state.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { openStage, SHARDS, turns } from '../../durable/stage.ts';

const it = bounded(test);
const FLIPS = 1_000;
const LOG_FLIPS = 200;
const SEED = 20_261_121;

interface Stored {
  readonly snapshot: Buffer;
  readonly transitions: Buffer;
}

/** A small generator of 32-bit numbers, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}

function flipped(sound: Buffer, next: () => number): { readonly bytes: Buffer; readonly at: number } {
  const bytes = Buffer.from(sound);
  const at = next() % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 + (next() % 255));
  return { bytes, at };
}

it('detects each of a thousand flipped bytes of stored snapshots, and still serves actors with a flipped transition log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-flip-'));
  const path = join(folder, 'troupe.db');
  const options = { path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 };
  const store = await openSqliteStore(options);
  const file = new Database(path);
  try {
    const addresses = Array.from({ length: 8 }, (_, i) => `counter:acct_${i}`);
    const first = await openStage({ store });
    for (const address of addresses) {
      for (let by = 1; by < 6; by++) await first.body(address, { type: 'add', by });
    }
    await first.close();

    const stage = await openStage({ store });
    const next = numbers(SEED);
    const read = file.prepare<[string], Stored>(
      'SELECT CAST(snapshot AS BLOB) AS snapshot, CAST(transitions AS BLOB) AS transitions FROM actors WHERE address = ?',
    );
    const sound = new Map(addresses.map((address) => [address, read.get(address) as Stored]));
    const write = file.prepare(
      'UPDATE actors SET snapshot = CAST(? AS TEXT), transitions = CAST(? AS TEXT) WHERE address = ?',
    );
    const missed: string[] = [];
    // Once quarantined, an actor is loaded again for each further flip.
    for (let flip = 0; flip < FLIPS; flip++) {
      const address = addresses[next() % addresses.length] as string;
      const { snapshot, transitions } = sound.get(address) as Stored;
      const { bytes, at } = flipped(snapshot, next);
      write.run(bytes, transitions, address);
      const { outcome } = await stage.engine.reload(address);
      if (outcome !== 'quarantined') missed.push(`${address} byte ${at}: ${outcome}`);
    }
    assert.equal(missed, [], `seed ${SEED}`);
    assert.is(stage.engine.gauges.quarantined, addresses.length);
    for (const address of addresses) {
      const { snapshot, transitions } = sound.get(address) as Stored;
      write.run(snapshot, transitions, address);
      assert.equal(await stage.engine.reload(address), { outcome: 'loaded' });
    }
    for (const address of addresses) {
      assert.is(((await stage.body(address, { type: 'read' })) as { total: number }).total, 15);
    }

    const address = addresses[0] as string;
    const { snapshot, transitions } = sound.get(address) as Stored;
    const shard = shardOf(address, SHARDS);
    const epoch = stage.engine.epochOf(shard) ?? 0;
    for (let flip = 0; flip < LOG_FLIPS; flip++) {
      write.run(flipped(snapshot, next).bytes, transitions, address);
      stage.engine.drop(shard);
      await turns();
      stage.engine.adopt(shard, epoch);
      const answer = await stage.ask(address, { type: 'read' });
      assert.is(answer.ok ? 'ok' : answer.failure.code, 'quarantined');
      const log = flipped(transitions, next);
      write.run(snapshot, log.bytes, address);
      assert.equal(await stage.engine.reload(address), { outcome: 'loaded' }, `seed ${SEED}, byte ${log.at}`);
      assert.is(((await stage.body(address, { type: 'read' })) as { total: number }).total, 15);
      assert.is((await stage.engine.inspect(address))?.state, 'counting');
    }
    await stage.close();
  } finally {
    file.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
