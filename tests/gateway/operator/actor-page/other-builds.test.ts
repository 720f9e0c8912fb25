/** A step taken again with another build: which one may be named, by whom, and within what it runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExportedStep } from '../../../../actors/runtime/inspect/replay.ts';
import { OtherBuilds } from '../../../../gateway/operator/actor-page/other-builds.ts';
import { historyRoutes } from '../../../../gateway/operator/api/history.ts';
import { stepElsewhere } from '../../../../gateway/operator/replay-elsewhere.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { answerTo, clusterOf, openPort, TOKEN, VIEWER_TOKEN } from '../port.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-builds-'));
test.after(() => rmSync(folder, { recursive: true }));

const BOUNDS = { ms: 20_000, heapMiB: 128, env: { PATH: process.env.PATH } };
const STEP = { address: 'batch:acct_1/batch_1', step: { version: 3 } } as unknown as ExportedStep;

/** A build whose `troupe` runs this script; `steps` holds the lines of the file that it was given. */
function buildOf(name: string, script: string): string {
  const bin = join(folder, name, 'bin');
  mkdirSync(bin, { recursive: true });
  const read = "import { readFileSync } from 'node:fs'; const steps = readFileSync(process.argv[4], 'utf8').trim();";
  writeFileSync(join(bin, 'troupe.mjs'), `${read}\n${script}`);
  return join(folder, name);
}

it('another build gets the step in a file, and neither the environment nor the store', async () => {
  process.env.TROUPE_TEST_SECRET = 'hush';
  const told = 'console.log(JSON.stringify({ steps, env: Object.keys(process.env), args: process.argv.slice(2) }))';
  const answer = (await stepElsewhere(buildOf('next', told), STEP, BOUNDS)) as unknown as {
    readonly steps: string;
    readonly env: readonly string[];
    readonly args: readonly string[];
  };
  delete process.env.TROUPE_TEST_SECRET;
  assert.equal(JSON.parse(answer.steps), STEP);
  assert.not.ok(answer.env.includes('TROUPE_TEST_SECRET'));
  assert.equal([answer.args[0], answer.args[1], answer.args[3]], ['replay', '--file', '--json']);
});

it('a build that does not end, or needs too much memory, is ended at its bound', async () => {
  const bounds = { ...BOUNDS, ms: 300 };
  const endless = buildOf('endless', 'setInterval(() => {}, 1_000)');
  assert.match((await failureOf(stepElsewhere(endless, STEP, bounds))).message, /endless replays nothing: no answer/);
  const parent = buildOf(
    'parent',
    "import { spawn } from 'node:child_process'; spawn('sleep', ['60'], { stdio: 'inherit' }); process.exit();",
  );
  await failureOf(stepElsewhere(parent, STEP, bounds));
  const greedy = buildOf('greedy', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));');
  const failure = await failureOf(stepElsewhere(greedy, STEP, { ...BOUNDS, heapMiB: 32 }));
  assert.match(failure.message, /greedy replays nothing/);
});

it('only configured builds are named, by operators alone', async () => {
  const store = { kind: 'sqlite', path: join(folder, 'none.db') } as never;
  const port = await openPort(historyRoutes({ builds: new OtherBuilds({ next: join(folder, 'next') }, store, {}) }));
  port.cluster = clusterOf({ operator: {} });
  const again = (build: string, token: string) =>
    answerTo(port, 'POST', `/api/actors/batch:acct_1%2Fbatch_1/steps/3/again/${build}`, { token, body: '{}' });
  assert.match(await answerTo(port, 'GET', '/api/builds', { token: VIEWER_TOKEN }), /^200 .*"name":"next"/);
  assert.match(await again('next', VIEWER_TOKEN), /^403/);
  for (const name of ['other', '..%2F..%2Ftmp', encodeURIComponent(folder)]) {
    assert.match(await again(name, TOKEN), /^404 .*operator.builds names no build/);
  }
  port.close();
});

test.run();
