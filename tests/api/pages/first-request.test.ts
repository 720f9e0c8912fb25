/** The page of a new key shows a request to paste: it is pasted here, into a shell and into an empty folder. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { ROOT } from '../../support/sources.ts';
import { openCluster } from './cluster.ts';
import { fieldsOf, type Person, signedIn } from './visitor.ts';

const it = bounded(test, 120_000);
const run = promisify(execFile);

let cluster: TestCluster;
let owner: Person;
let folder: string;

test.before(async () => {
  cluster = await openCluster();
  owner = await signedIn(cluster);
  folder = await mkdtemp(join(tmpdir(), 'troupe-first-'));
});
test.after(async () => {
  await rm(folder, { recursive: true });
  await cluster.close();
});

/** The texts to copy of the page that creates a key, in their order. */
async function pasted(): Promise<{ readonly page: string; readonly snippets: readonly string[] }> {
  const form = fieldsOf(await owner.visitor.get('/account/keys'), '/account/keys');
  const made = await owner.visitor.post('/account/keys', {
    ...form,
    name: 'first',
    limit: '',
    window: '',
    expires: '',
  });
  assert.is(made.status, 200, made.text);
  const snippets = [...made.text.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&').replaceAll('&#96;', '`'),
  );
  return { page: made.text, snippets };
}

it('the command and the program answer as they are pasted, with the key and the address of the page', async () => {
  const { page, snippets } = await pasted();
  const [key = ''] = /sk-gw-v1-[0-9a-f]{64}/.exec(page) ?? [];
  assert.is(snippets.length, 3);
  for (const text of snippets) {
    assert.match(text, key);
    assert.match(text, `${owner.visitor.origin}/api/v1`);
  }
  const [curl = '', typeScript = '', python = ''] = snippets;
  const { stdout } = await run('bash', ['-c', curl]);
  assert.type(JSON.parse(stdout).choices[0].message.content, 'string');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'hello.mjs'), typeScript);
  assert.match((await run('node', ['hello.mjs'], { cwd: folder })).stdout, "role: 'assistant'");
  await writeFile(join(folder, 'hello.py'), python);
  await run('python3', ['-m', 'py_compile', 'hello.py'], { cwd: folder });
});

test.run();
