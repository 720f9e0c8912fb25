/** Nodes that freeze and resume later: no node waits for them, and their pending writes are refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_REJOIN } from '../../gateway/operator/launcher/message.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedTrio, pause } from './launched-trio.ts';

const it = bounded(test, 90_000);

let trio: LaunchedTrio;
test.before(async () => {
  trio = new LaunchedTrio();
  await trio.start();
});
test.after(() => trio.close());

it('a node frozen before a commit is replaced, and that commit is refused when it resumes (rule N2)', async () => {
  const owned = await trio.owned('n1');
  const from = trio.injector.notes.length;
  const load = trio.load(['n1', 'n2']);
  trio.injector.set('n1', { stop: 'before commit' });
  await trio.tookEffect('n1', from);
  const at = performance.now();
  await trio.until(async () => (await trio.add('n3', owned[0] as string)).ok, 'another node serves its shard');
  const tookMs = performance.now() - at;
  process.stdout.write(`taken over ${Math.round(tookMs)} ms after the stop\n`);
  // Every shard it owned has a new owner before it resumes.
  for (const address of owned) assert.ok((await trio.add('n2', address)).ok);
  trio.signal('n1', 'SIGCONT');
  assert.is(await trio.ended('n1'), EXIT_REJOIN, 'it detects that it is dead and exits');
  const fenced = trio.notes('n1', from).reduce((sum, note) => sum + (note.fenced ?? 0), 0);
  assert.ok(fenced > 0, 'the frozen commit was never tried');
  await load.stop();
  await trio.revive('n1');
  assert.ok((await trio.add('n1', owned[0] as string)).ok, 'it serves again, with a new incarnation');
  await trio.checkSums('n2');
});

it('a node frozen inside a transaction blocks every writer without a verdict, and its end unblocks them', async () => {
  const from = trio.injector.notes.length;
  const verdicts = trio.verdicts().length;
  const load = trio.load(['n1', 'n2', 'n3']);
  trio.injector.set('n2', { stop: 'in transaction' });
  await trio.tookEffect('n2', from);
  const owned = await trio.owned('n3');
  const blocked = await trio.add('n3', owned[0] as string, 1_500);
  assert.not(blocked.ok, 'a commit succeeded while the lock was held');
  await pause(3_000);
  assert.is(trio.verdicts().length, verdicts, 'an unresponsive store causes no verdict');
  trio.signal('n2', 'SIGKILL');
  const freedMs = await trio.until(async () => (await trio.add('n3', owned[1] as string)).ok, 'writes resume');
  process.stdout.write(`writes resumed ${Math.round(freedMs)} ms after the holder's end\n`);
  await trio.revive('n2');
  await load.stop();
  await trio.checkSums('n1');
});

test.run();
