import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../../actors/kinds.ts';
import type { ActorEvent, Kind } from '../../../../actors/runtime/index.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import { openSqliteStore } from '../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { openStage, SHARDS } from '../../../actors/runtime/durable/stage.ts';
import { tally } from '../../../cluster/tally.ts';
import { bounded } from '../../../support/bounded.ts';
import * as words from '../../../support/model/words.ts';
import { troupe } from './command.ts';

const it = bounded(test, 30_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-preflight-'));
test.after(() => rmSync(folder, { recursive: true }));

async function store(
  name: string,
  more: readonly Kind[],
  fill: readonly (readonly [string, object])[],
): Promise<string> {
  const data = join(folder, name);
  const path = join(data, 'troupe.db');
  const options = { path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 };
  const opened = await openSqliteStore(options);
  const stage = await openStage({ store: opened, kinds: [...kinds, ...more] });
  for (const [to, event] of fill) await stage.body(to, event as ActorEvent);
  await stage.close();
  await opened.close();
  return data;
}

const MONEY = [
  [words.ACCOUNT, { type: 'account.create', name: 'Ada' }],
  [words.ACCOUNT, words.depositEvent('dep-1', '10')],
  [words.KEY, words.createKeyEvent()],
] as const;

it('passes with exit code 0 when this build loads all that is stored', async () => {
  const { code, out, err } = await troupe(['preflight', '--data', await store('fine', [], MONEY)]).ended;
  assert.equal([code, err], [0, '']);
  assert.match(out, /^all 2 stored states of 2 actors load with this build\n$/);
});

it('fails with exit code 1, and names what this build does not load', async () => {
  const newer = { ...tally, name: 'key', version: 2 };
  const others = kinds.filter(({ name }) => name !== 'key');
  const data = join(folder, 'newer');
  const path = join(data, 'troupe.db');
  const opened = await openSqliteStore({
    ...{ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 },
  });
  const stage = await openStage({ store: opened, kinds: [...others, newer, tally] });
  for (const to of ['key:acct_1/a', 'key:acct_1/b', 'tally:a']) await stage.body(to, { type: 'tally.add', by: 1 });
  await stage.close();
  // Beside nodes that still have the file open.
  const { code, out } = await troupe(['preflight', '--data', data]).ended;
  assert.is(code, 1);
  assert.match(out, /^key +2 +"open" +2 +key:acct_1\/a cannot be restored: written by chart 2, this build has 1$/m);
  assert.match(out, /^tally +1 +"open" +1 +this build has no kind called tally$/m);
  assert.match(out, /2 of 2 stored states do not load with this build/);
  const json = await troupe(['preflight', '--data', data, '--json']).ended;
  assert.is(json.code, 1);
  assert.is((JSON.parse(json.out) as { unfit: unknown[] }).unfit.length, 2);
  await opened.close();
});

test.run();
