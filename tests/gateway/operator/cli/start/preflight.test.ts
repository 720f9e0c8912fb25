import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../../../actors/kinds.ts';
import type { ActorEvent, Kind, Store } from '../../../../../actors/runtime/index.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/index.ts';
import { openPostgresStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { tally } from '../../../../actors/example-kinds/tally.ts';
import { openStage, SHARDS } from '../../../../actors/runtime/durable/stage.ts';
import { bounded } from '../../../../support/bounded.ts';
import * as words from '../../../../support/model/words.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import { troupe } from '../command.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-preflight-'));
test.after(() => rmSync(folder, { recursive: true }));
const ports = { shards: SHARDS, clock: systemClock, random: systemRandom };

/** A store as nodes would use it, and the arguments that select it. */
interface StoredState {
  readonly store: Store;
  readonly args: readonly string[];
  close(): Promise<void>;
}

const stores: Readonly<Record<string, (name: string) => Promise<StoredState>>> = {
  async sqlite(name) {
    const data = join(folder, name);
    const store = await openSqliteStore({ ...ports, path: join(data, 'troupe.db'), busyBoundMs: 2_000 });
    return { store, args: ['--data', data], close: () => store.close() };
  },
  async postgres(name) {
    const database = await openDatabase();
    const store = await openPostgresStore({ ...ports, url: database.url, bounds: testBounds });
    const config = join(folder, `${name}.json`);
    writeFileSync(config, JSON.stringify({ store: { kind: 'postgres', url: database.url } }));
    const close = async (): Promise<void> => {
      await store.close();
      await database.drop();
    };
    // A SQLite file in the data folder must not be read instead.
    return { store, args: ['--config', config, '--data', join(folder, 'nothing')], close };
  },
};

async function fill(store: Store, all: readonly Kind[], events: readonly (readonly [string, object])[]): Promise<void> {
  const stage = await openStage({ store, kinds: all });
  for (const [to, event] of events) await stage.body(to, event as ActorEvent);
  await stage.close();
}

const MONEY = [
  [words.ACCOUNT, { type: 'account.create', name: 'Ada' }],
  [words.ACCOUNT, words.depositEvent('dep-1', '10')],
  [words.KEY, words.createKeyEvent()],
] as const;

for (const [kind, build] of Object.entries(stores)) {
  it(`${kind}: passes with exit code 0 if this build loads the stored state`, async () => {
    const { store, args, close } = await build('fine');
    await fill(store, kinds, MONEY);
    // Runs while nodes still have the store open.
    const { code, out, err } = await troupe(['preflight', ...args]).ended;
    assert.equal([code, err], [0, '']);
    assert.match(out, /^all 3 stored states of 3 actors load with this build\n$/);
    await close();
  });

  it(`${kind}: fails with exit code 1, and names the states that this build does not load`, async () => {
    const { store, args, close } = await build('newer');
    const others = kinds.filter(({ name }) => name !== 'key');
    const added = ['key:acct_1/a', 'key:acct_1/b', 'tally:a'].map((to) => [to, { type: 'tally.add', by: 1 }] as const);
    // One more than this build's.
    await fill(store, [...others, { ...tally, name: 'key', version: 2 }, tally], added);
    const { code, out } = await troupe(['preflight', ...args]).ended;
    assert.is(code, 1);
    assert.match(out, /^key +2 +"open" +2 +key:acct_1\/a cannot be restored: written by chart 2, this build has 1$/m);
    assert.match(out, /^tally +1 +"open" +1 +this build has no kind called tally$/m);
    assert.match(out, /2 of 2 stored states do not load with this build/);
    const json = await troupe(['preflight', ...args, '--json']).ended;
    assert.is(json.code, 1);
    assert.is((JSON.parse(json.out) as { unfit: unknown[] }).unfit.length, 2);
    await close();
  });
}

it('names the missing database in one line, without its password', async () => {
  const sqlite = await troupe(['preflight', '--data', join(folder, 'nothing')]).ended;
  assert.is(sqlite.code, 1);
  assert.match(sqlite.err, /^troupe: there is no database \S+troupe\.db; give its folder with --data\n$/);
  const config = join(folder, 'away.json');
  const url = 'postgres://troupe:hush@127.0.0.1:1/troupe';
  writeFileSync(config, JSON.stringify({ store: { kind: 'postgres', url } }));
  const postgres = await troupe(['preflight', '--config', config]).ended;
  assert.is(postgres.code, 1);
  assert.match(
    postgres.err,
    /^troupe: cannot open the database postgres:\/\/troupe:\*\*\*@127\.0\.0\.1:1\/troupe: .*\n$/,
  );
});

test.run();
