/** A store while another process holds the write lock, and the order of requests when it is released. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreTime } from '../../../../../actors/runtime/cluster/membership/store-time.ts';
import type { Clock } from '../../../../../actors/runtime/ports/clock.ts';
import { StoreRefused } from '../../../../../actors/runtime/ports/store.ts';
import { SOLE_WRITER_LOG } from '../../../../../actors/runtime/stores/sqlite/checkpoint-after-commit.ts';
import { connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { openSqliteStore, type SqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { actor, own, row, SHARDS, write } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const BUSY_BOUND_MS = 300;
/** For tests in which a lock is released: no machine is so slow that the bound passes before. */
const PATIENT_MS = 30_000;
const BUSY_MS = 100;

async function withStore(
  run: (store: SqliteStore, path: string) => Promise<void>,
  { requestsMax = 4_096, busyBoundMs = PATIENT_MS } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-lock-'));
  const path = join(folder, 't.db');
  const store = await openSqliteStore({
    ...{ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs, requestsMax },
  });
  try {
    await run(store, path);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Wall and monotonic time from one source, so that a pause between two readings is no difference. */
function oneClock(): Clock {
  for (;;) {
    const [from, wall, to] = [performance.now(), Date.now(), performance.now()];
    if (to - from < 1) return { ...systemClock, now: () => wall + performance.now() - from };
  }
}

const refusedBusy = (error: unknown) => error instanceof StoreRefused && error.reason === 'busy';

it('a lock held beyond the bound refuses as busy; reads continue; later commits work', () =>
  withStore(
    async (store, path) => {
      const fence = await own(store, 'i1');
      const commit = [write(fence, { actors: [{ record: actor('account:a', 1), expected: 0 }] })];
      const holder = connect(path, 'write');
      holder.exec('BEGIN IMMEDIATE');
      const before = performance.now();
      const refused = store.commit(commit).then(
        () => null,
        (error: unknown) => error,
      );
      assert.is(await store.loadActor('account:a'), null);
      assert.ok(refusedBusy(await refused));
      assert.ok(performance.now() - before >= BUSY_BOUND_MS);
      assert.is(store.busyMs(), 0);
      holder.close();
      assert.equal(await store.commit(commit), [{ shard: 7, committed: true }]);
    },
    { busyBoundMs: BUSY_BOUND_MS },
  ));

it('a lock released within the bound only delays', () =>
  withStore(async (store, path) => {
    const fence = await own(store, 'i1');
    const holder = connect(path, 'write');
    holder.exec('BEGIN IMMEDIATE');
    const committed = store.commit([write(fence, { rowsPut: [row('h')] })]);
    while (store.busyMs() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    holder.close();
    assert.equal(await committed, [{ shard: 7, committed: true }]);
  }));

it('a heartbeat that waited for the lock does not advance store time', () =>
  withStore(async (store, path) => {
    await own(store, 'i1');
    const holder = connect(path, 'write');
    holder.exec('BEGIN IMMEDIATE');
    const clock = oneClock();
    const sentAt = performance.now();
    const beat = store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    while (store.busyMs() < BUSY_MS) await new Promise((resolve) => setTimeout(resolve, 1));
    holder.close();
    const { now } = await beat;
    const time = new StoreTime(clock);
    time.learn(now, sentAt, performance.now());
    const [before, estimate, after] = [clock.now(), time.now(), clock.now()];
    // Two clocks that round: half of the wait would be an error of 50 ms at least.
    assert.ok(estimate >= before - 3 && estimate <= after + 3, `${before} <= ${estimate} <= ${after}`);
  }));

it('a process stopped inside a transaction blocks every writer until it is killed', () =>
  withStore(async (store, path) => {
    const fence = await own(store, 'i1');
    const script = `const db = require('better-sqlite3')(${JSON.stringify(path)});
      db.exec('BEGIN IMMEDIATE'); process.stdout.write('held'); setInterval(() => {}, 1000)`;
    const holder = spawn(process.execPath, ['-e', script], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    holder.kill('SIGSTOP');
    const committed = store.commit([write(fence, { rowsPut: [row('h')] })]);
    while (store.busyMs() < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    holder.kill('SIGKILL');
    assert.equal(await committed, [{ shard: 7, committed: true }]);
  }));

it('a heartbeat overtakes waiting commits', () =>
  withStore(async (store, path) => {
    const fence = await own(store, 'i1');
    const order: string[] = [];
    const holder = connect(path, 'write');
    holder.exec('BEGIN IMMEDIATE');
    const commits = Array.from({ length: 200 }, (_, i) =>
      store.commit([write(fence, { rowsPut: [row(`h${i}`)] })]).then(() => order.push('commit')),
    );
    const beat = store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' }).then(() => order.push('beat'));
    while (store.busyMs() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    holder.close();
    await Promise.all([...commits, beat]);
    assert.ok(order.indexOf('beat') < 100, `the heartbeat came as number ${order.indexOf('beat')}`);
  }));

it('requests beyond the bound are refused as busy, and the others are executed', () =>
  withStore(
    async (store) => {
      const fence = await own(store, 'i1');
      const commits = await Promise.allSettled(
        Array.from({ length: 30 }, (_, i) => store.commit([write(fence, { rowsPut: [row(`h${i}`)] })])),
      );
      const refused = commits.filter((outcome) => outcome.status === 'rejected');
      assert.is(refused.length, 10);
      assert.ok(refused.every(({ reason }) => refusedBusy(reason)));
      assert.is((await store.rows({ collection: 'holds', limit: 100 })).length, 20);
    },
    { requestsMax: 20 },
  ));

it('closing waits for sent requests and refuses later ones', () =>
  withStore(async (store) => {
    const fence = await own(store, 'i1');
    const sent = store.commit([write(fence, { rowsPut: [row('h')] })]);
    const closed = store.close();
    assert.equal(await sent, [{ shard: 7, committed: true }]);
    await closed;
    for (const late of [store.commit([write(fence)]), store.loadActor('account:a'), store.setting('a', 'b')]) {
      const error = await late.then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.instance(error, StoreRefused);
    }
  }));

it('the log is checkpointed as it grows and stays within its bound', () =>
  withStore(async (store, path) => {
    const fence = await own(store, 'i1');
    const body = 'x'.repeat(16_000);
    const commits = 100;
    for (let commit = 0; commit < commits; commit++) {
      const rowsPut = Array.from({ length: 40 }, (_, i) => row(`${commit}-${i}`, { body }));
      await store.commit([write(fence, { rowsPut })]);
    }
    const boundBytes = SOLE_WRITER_LOG.most * 4096 * 1.5;
    assert.ok(commits * 40 * body.length > boundBytes);
    const logBytes = statSync(`${path}-wal`).size;
    assert.ok(logBytes < boundBytes, `the log has ${logBytes} bytes`);
    assert.is((await store.rows({ collection: 'holds', limit: 1_000, address: 'account:a' })).length, 1_000);
  }));

test.run();
