import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { ROOT } from '../../support/sources.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
let cluster: TestCluster;
let folder: string;

test.before(async () => {
  cluster = await openCluster();
  // Below the repository, whose packages stand for those that a reader installs.
  const home = join(ROOT, '.cache');
  mkdirSync(home, { recursive: true });
  folder = mkdtempSync(join(home, 'quick-start-'));
  for (const [name, text] of FILES) writeFileSync(join(folder, name), text);
});
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await cluster.close();
});

const PAGE = readFileSync(join(ROOT, 'docs', 'quick-start.md'), 'utf8');
/** The files to paste, by name: each follows the command that runs it. */
const FILES = new Map(
  [...PAGE.matchAll(/`node ([\w-]+\.mjs)`:\n\n```js\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
);
const EXPECTED: Readonly<Record<string, RegExp>> = {
  'chat.mjs': /x1 x2 .*x15/,
  'respond.mjs': /x1 x2 .*x15/,
  'message.mjs': /^sim-[ab]:\d+ x1 x2 .*x15 \n$/,
  'paint.mjs': /^fox\.png is written\n$/,
  'ask-about-file.mjs': /sees file application\/pdf of 22 bytes/,
  'batch.mjs': /^completed\n(.*"custom_id":"greeting-[01]".*\n?){2}/,
};

async function run(
  name: string,
  key: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { PATH = '' } = process.env;
  const env = { PATH, OPENAI_BASE_URL: cluster.baseUrls[0] ?? '', OPENAI_API_KEY: key };
  const child = spawn(process.execPath, [name], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

it('every file of the quick start that this cluster can serve runs as pasted', async () => {
  const { key } = await cluster.fund('10');
  assert.equal(
    [...FILES.keys()].filter((name) => name !== 'film.mjs'),
    Object.keys(EXPECTED),
  );
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const { code, out, err } = await run(name, key);
    assert.is(code, 0, `${name}: ${err}`);
    assert.match(out, expected, `${name}: ${out}`);
  }
  assert.match(readFileSync(join(folder, 'fox.png'), 'latin1'), /^.PNG/);
});

it('the video of the quick start ends on an error instead of asking for ever', async () => {
  const { code, err } = await run('film.mjs', 'sk-gw-v1-unknown');
  assert.is(code, 1);
  assert.match(err, /Error: 401 /);
});

test.run();
