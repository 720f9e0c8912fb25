/** Nodes that freeze and wake up later: nobody waits for them, and nothing they still had in hand counts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { FaultStage, pause } from './fault-stage.ts';

const it = bounded(test, 90_000);
/** Heartbeats stay silent for 3.3 s before a node is voted out; then its shards are claimed. */
const TAKEOVER_MS_MAX = 5_000;

let stage: FaultStage;
test.before(async () => {
  stage = new FaultStage();
  await stage.start();
});
test.after(() => stage.close());

it('a node frozen with a commit in its hands is taken over, and that commit is refused when it wakes', async () => {
  const owned = await stage.owned('n1');
  const from = stage.desk.notes.length;
  const load = stage.load(['n1', 'n2']);
  stage.desk.set('n1', { stop: 'before commit' });
  await stage.struck('n1', from);
  const at = performance.now();
  await stage.until(async () => (await stage.add('n3', owned[0] as string)).ok, 'somebody else answers for it');
  const tookMs = performance.now() - at;
  process.stdout.write(`taken over ${Math.round(tookMs)} ms after the stop\n`);
  assert.ok(tookMs < TAKEOVER_MS_MAX, `${tookMs} ms`);
  // Everything it owned has a new owner before it wakes.
  for (const address of owned) assert.ok((await stage.add('n2', address)).ok);
  stage.node('n1').kill('SIGCONT');
  assert.is(await stage.node('n1').exited, 3, 'it learns that it is dead and ends');
  const fenced = stage.notes('n1', from).reduce((sum, note) => sum + (note.fenced ?? 0), 0);
  assert.ok(fenced > 0, 'the frozen commit was never tried');
  await load.stop();
  await stage.revive('n1');
  assert.ok((await stage.add('n1', owned[0] as string)).ok, 'it serves again, with a new incarnation');
  await stage.checkBook('n2');
});

it('a node frozen inside a transaction blocks every writer, is judged by nobody, and its end frees them', async () => {
  const from = stage.desk.notes.length;
  const verdicts = stage.verdicts().length;
  const load = stage.load(['n1', 'n2', 'n3']);
  stage.desk.set('n2', { stop: 'in transaction' });
  await stage.struck('n2', from);
  const owned = await stage.owned('n3');
  const blocked = await stage.add('n3', owned[0] as string, 1_500);
  assert.not(blocked.ok, 'a commit went through a lock that is held');
  await pause(3_000);
  assert.is(stage.verdicts().length, verdicts, 'a store that answers nobody is no ground for a verdict');
  stage.node('n2').kill('SIGKILL');
  const freedMs = await stage.until(async () => (await stage.add('n3', owned[1] as string)).ok, 'writes go on');
  process.stdout.write(`writes go on ${Math.round(freedMs)} ms after the holder's end\n`);
  await stage.revive('n2');
  await load.stop();
  await stage.checkBook('n1');
});

test.run();
