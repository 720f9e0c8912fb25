/** Nodes that freeze and resume later: no node waits for them, and their pending writes are refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_REJOIN } from '../../gateway/operator/launcher/message.ts';
import { bounded } from '../support/bounded.ts';
import { FaultStage, pause } from './fault-stage.ts';

const it = bounded(test, 90_000);

let stage: FaultStage;
test.before(async () => {
  stage = new FaultStage();
  await stage.start();
});
test.after(() => stage.close());

it('a node frozen before a commit is replaced, and that commit is refused when it resumes (rule N2)', async () => {
  const owned = await stage.owned('n1');
  const from = stage.injector.notes.length;
  const load = stage.load(['n1', 'n2']);
  stage.injector.set('n1', { stop: 'before commit' });
  await stage.tookEffect('n1', from);
  const at = performance.now();
  await stage.until(async () => (await stage.add('n3', owned[0] as string)).ok, 'another node serves its shard');
  const tookMs = performance.now() - at;
  process.stdout.write(`taken over ${Math.round(tookMs)} ms after the stop\n`);
  // Every shard it owned has a new owner before it resumes.
  for (const address of owned) assert.ok((await stage.add('n2', address)).ok);
  stage.signal('n1', 'SIGCONT');
  assert.is(await stage.ended('n1'), EXIT_REJOIN, 'it detects that it is dead and exits');
  const fenced = stage.notes('n1', from).reduce((sum, note) => sum + (note.fenced ?? 0), 0);
  assert.ok(fenced > 0, 'the frozen commit was never tried');
  await load.stop();
  await stage.revive('n1');
  assert.ok((await stage.add('n1', owned[0] as string)).ok, 'it serves again, with a new incarnation');
  await stage.checkSums('n2');
});

it('a node frozen inside a transaction blocks every writer without a verdict, and its end unblocks them', async () => {
  const from = stage.injector.notes.length;
  const verdicts = stage.verdicts().length;
  const load = stage.load(['n1', 'n2', 'n3']);
  stage.injector.set('n2', { stop: 'in transaction' });
  await stage.tookEffect('n2', from);
  const owned = await stage.owned('n3');
  const blocked = await stage.add('n3', owned[0] as string, 1_500);
  assert.not(blocked.ok, 'a commit succeeded while the lock was held');
  await pause(3_000);
  assert.is(stage.verdicts().length, verdicts, 'an unresponsive store causes no verdict');
  stage.signal('n2', 'SIGKILL');
  const freedMs = await stage.until(async () => (await stage.add('n3', owned[1] as string)).ok, 'writes resume');
  process.stdout.write(`writes resumed ${Math.round(freedMs)} ms after the holder's end\n`);
  await stage.revive('n2');
  await load.stop();
  await stage.checkSums('n1');
});

test.run();
