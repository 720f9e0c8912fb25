import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
let cluster: TestCluster;

test.before(async () => {
  cluster = await openCluster();
});
test.after(() => cluster.close());

/** The README's examples for the openai SDK as one script, without its imports: they are its parameters. */
function examples(): string {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  return blocks.join('').replaceAll(/^import .*$/gm, '');
}

it('the README’s examples work as pasted: a streamed chat, and a chat about an uploaded PDF', async () => {
  const { key } = await cluster.fund('10');
  const written: string[] = [];
  const files: Record<string, string> = {
    'data/connection.json': JSON.stringify({ base_url: cluster.baseUrls[0], api_key: key }),
  };
  const parameters = {
    OpenAI,
    readFileSync: (path: string) => files[path],
    process: { stdout: { write: (text: string) => written.push(text) } },
    console: { log: (text: string) => written.push(text) },
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await AsyncFunction(...Object.keys(parameters), examples())(...Object.values(parameters));
  const text = written.join('');
  assert.match(text, /x1 x2/);
  assert.match(text, /sees file application\/pdf of 22 bytes/);
});

test.run();
