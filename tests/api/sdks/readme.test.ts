import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
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

/** The README's examples as scripts: a block with imports begins one. The imports are the script's parameters. */
function examples(): string[] {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const scripts: string[] = [];
  for (const [, block = ''] of readme.matchAll(/```ts\n([\s\S]*?)```/g)) {
    const script = block.replaceAll(/^import .*$/gm, '');
    if (script !== block) scripts.push(script);
    else scripts[scripts.length - 1] += script;
  }
  return scripts;
}

it('the README’s examples work as pasted: a streamed chat, a picture, a chat about an uploaded PDF, and a streamed message', async () => {
  const { key } = await cluster.fund('10');
  const written: string[] = [];
  const files: Record<string, string> = {
    'data/connection.json': JSON.stringify({ base_url: cluster.baseUrls[0], api_key: key }),
  };
  const parameters = {
    Anthropic,
    OpenAI,
    readFileSync: (path: string) => files[path],
    writeFileSync: (path: string, bytes: Uint8Array) => (files[path] = Buffer.from(bytes).toString('latin1')),
    process: { stdout: { write: (text: string) => written.push(text) } },
    console: { log: (text: string) => written.push(text) },
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const texts: string[] = [];
  for (const script of examples()) {
    await AsyncFunction(...Object.keys(parameters), script)(...Object.values(parameters));
    texts.push(written.splice(0).join(''));
  }
  assert.is(texts.length, 2);
  const [chats = '', messages = ''] = texts;
  assert.match(chats, /x1 x2/);
  assert.match(chats, /sees file application\/pdf of 22 bytes/);
  assert.match(files['fox.png'] ?? '', /^.PNG/);
  assert.match(messages, /^sim-[ab]:\d+ x1 x2 .*x15 $/);
});

test.run();
