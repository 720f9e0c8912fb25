/** Faults of one node or its store, with real processes: which nodes survive, and no acknowledged write is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_REJOIN } from '../../gateway/operator/launcher/message.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedTrio, pause } from './launched-trio.ts';

const it = bounded(test, 90_000);
const NAMES = ['n1', 'n2', 'n3'] as const;
const HOUR_MS = 3_600_000;

let trio: LaunchedTrio;
test.before(async () => {
  trio = new LaunchedTrio();
  await trio.start();
});
test.after(() => trio.close());

for (const fsync of ['fails', 'fails behind the write'] as const) {
  it(`a sync that ${fsync} ends the process at once, acknowledges no write, and the log is recovered (rule N20)`, async () => {
    const from = trio.injector.notes.length;
    const verdicts = trio.verdicts().length;
    const load = trio.load(NAMES);
    await pause(200);
    trio.injector.set('n1', { fsync });
    assert.is(await trio.ended('n1'), 70);
    const after = trio.notes('n1', from);
    assert.is(after.filter(({ effect }) => effect !== undefined).length, 1);
    await trio.revive('n1');
    await load.stop();
    assert.ok(trio.verdicts().length > verdicts, 'the others took over its shards');
    await trio.checkSums('n1');
  });
}

// Shorter stalls, at every phase: tests/cluster/pauses.test.ts.
it('a node whose event loop stalls for 8 s is replaced and fenced', async () => {
  const kept = await trio.owned('n2');
  const load = trio.load(['n2']);
  trio.injector.set('n2', { blockMs: 8_000 });
  await pause(100);
  trio.signal('n2', 'SIGUSR2');
  const tookMs = await trio.until(async () => (await trio.add('n3', kept[0] as string)).ok, 'it is taken over');
  process.stdout.write(`taken over ${Math.round(tookMs)} ms after the loop stopped\n`);
  assert.is(await trio.ended('n2'), EXIT_REJOIN);
  await load.stop();
  await trio.revive('n2');
  await trio.checkSums('n3');
});

it('a node that cannot reach the store fences its own reads and is replaced; the others are unaffected', async () => {
  const from = trio.verdicts().length;
  const own = (await trio.owned('n3'))[0] as string;
  const load = trio.load(['n1', 'n2'], await trio.owned('n1'));
  trio.injector.set('n3', { cut: true });
  await trio.until(async () => !(await trio.connected('n3')), 'its read lease has expired');
  assert.not((await trio.add('n3', own, 500)).ok);
  await trio.until(async () => (await trio.add('n1', own)).ok, 'another node serves its shard');
  assert.is(trio.verdicts().length, from + 1);
  trio.injector.clear('n3');
  assert.is(await trio.ended('n3'), EXIT_REJOIN, 'it detects its death at its next read of the store');
  const answers = await load.stop();
  assert.equal(
    answers.filter(({ ok }) => !ok),
    [],
  );
  await trio.revive('n3');
  await trio.checkSums('n1');
});

it('an unreachable store changes no membership, and service resumes as soon as it is back', async () => {
  const verdicts = trio.verdicts().length;
  const before = await Promise.all(NAMES.map((name) => trio.owned(name)));
  for (const name of NAMES) trio.injector.set(name, { cut: true });
  await trio.until(
    async () => (await Promise.all(NAMES.map((name) => trio.connected(name)))).every((is) => !is),
    'every read lease has expired',
  );
  // Longer than a heartbeat may be silent.
  await pause(1_500);
  for (const name of NAMES) {
    assert.not(await trio.connected(name));
    const answer = await trio.add(name, before[0]?.[0] as string, 500);
    assert.not(answer.ok);
  }
  for (const name of NAMES) trio.injector.clear(name);
  const backMs = await trio.until(
    async () => (await Promise.all(NAMES.map((name) => trio.connected(name)))).every(Boolean),
    'all have contact again',
  );
  process.stdout.write(`back ${Math.round(backMs)} ms after the store was reachable\n`);
  for (const name of NAMES) assert.ok((await trio.add(name, before[0]?.[0] as string)).ok);
  assert.is(trio.verdicts().length, verdicts);
  assert.equal(await Promise.all(NAMES.map((name) => trio.owned(name))), before);
  await trio.checkSums('n1');
});

// Other steps, at every phase: tests/cluster/pauses.test.ts.
it('clock steps of an hour and a skew of 30 s move no shard', async () => {
  const verdicts = trio.verdicts().length;
  const before = await Promise.all(NAMES.map((name) => trio.owned(name)));
  const load = trio.load(NAMES);
  trio.injector.set('n1', { clockMs: -HOUR_MS });
  trio.injector.set('n2', { clockMs: 30_000 });
  await pause(1_200);
  for (const name of NAMES) trio.injector.clear(name);
  const answers = await load.stop();
  assert.equal(
    answers.filter(({ ok }) => !ok),
    [],
  );
  assert.is(trio.verdicts().length, verdicts);
  assert.equal(await Promise.all(NAMES.map((name) => trio.owned(name))), before);
  await trio.checkSums('n3');
});

it('a disk whose syncs take 500 ms longer slows every commit and ends no node (rule N22)', async () => {
  const verdicts = trio.verdicts().length;
  const before = await Promise.all(NAMES.map((name) => trio.owned(name)));
  for (const name of NAMES) trio.injector.set(name, { slowMs: 500 });
  const load = trio.load(NAMES);
  await pause(9_000);
  for (const name of NAMES) trio.injector.clear(name);
  const answers = await load.stop();
  const took = answers.filter(({ ok }) => ok).map(({ tookMs }) => tookMs);
  process.stdout.write(
    `slow disk: ${took.length} answered, slowest ${Math.round(Math.max(...took))} ms, ${answers.length - took.length} not\n`,
  );
  assert.ok(Math.max(...took) >= 500, 'the disk was not slow');
  assert.is(trio.verdicts().length, verdicts, trio.verdicts().slice(verdicts).join());
  assert.equal(await Promise.all(NAMES.map((name) => trio.owned(name))), before);
  await trio.checkSums('n2');
});

test.run();
