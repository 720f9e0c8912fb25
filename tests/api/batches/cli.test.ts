import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { told } from '../../gateway/operator/cli/in-process.ts';
import { bounded } from '../../support/bounded.ts';
import type { Funded, TestCluster } from '../../support/cluster/start-cluster.ts';
import { type Batch, CHAT, chat, clientOf, type Line, submission } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let funded: Funded;
let folder: string;

test.before(async () => {
  cluster = await openCluster();
  funded = await cluster.fund('10');
  folder = await mkdtemp(join(tmpdir(), 'troupe-batch-cli-'));
});
test.after(async () => {
  await rm(folder, { recursive: true });
  await cluster.close();
});

/** Runs `troupe batch ...` in this process; returns what it prints. */
async function batch(...args: readonly string[]): Promise<string> {
  return told(['batch', ...args]);
}

const reach = (): readonly string[] => ['--key', funded.key, '--url', cluster.baseUrls[1] as string];

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const common = (body: object, at: number): string =>
  JSON.stringify({ custom_id: `c${at}`, method: 'POST', url: CHAT, body });

it('submit follows a file in the common format to its end in plain lines; results prints its lines', async () => {
  const bodies = Array.from({ length: 12 }, (_, at) => chat({ text: `answer ${at}` }));
  const path = await file('common.jsonl', bodies.map(common).join('\n'));
  const out = await batch('submit', path, ...reach());
  const [id = '', ...shown] = out.split('\n');
  assert.match(id, /^batch_[0-9a-f]{32}$/);
  assert.is(shown[0], '0/12 done, 0 failed, validating');
  assert.ok(shown.includes('12/12 done, 0 failed, completed'), out);
  assert.match(out, /requests +12: 12 completed, 0 failed, 0 not run/);
  const lines = (await batch('results', id, ...reach())).trimEnd().split('\n');
  assert.equal(
    lines.map((line) => (JSON.parse(line) as Line).custom_id),
    bodies.map((_, at) => `c${at}`),
  );
  assert.match(await batch('show', id, ...reach()), new RegExp(`batch +${id}\nstatus +completed`));
  assert.match(
    await batch('list', ...reach(), '--status', 'completed', '--limit', '1'),
    new RegExp(`\n${id}  completed  12`),
  );
});

it('lines with custom_id and body alone, and a whole submission, mean the same; --detach does not wait', async () => {
  const short = await file(
    'short.jsonl',
    `${JSON.stringify({ custom_id: 'a', body: chat({ ttft_ms: 600_000 }) })}\n\n`,
  );
  const whole = await file('whole.json', JSON.stringify(submission([chat({ ttft_ms: 600_000 })])));
  const client = clientOf(cluster, funded.key);
  for (const path of [short, whole]) {
    const id = (await batch('submit', path, '--detach', '--model', 'sim/fast', ...reach())).trim();
    const made = await client.show(id);
    assert.equal([made.endpoint, made.model, made.request_counts.total], [CHAT, 'sim/fast', 1]);
    const cancelled = JSON.parse(await batch('cancel', id, '--json', ...reach())) as Batch;
    assert.ok(['cancelling', 'cancelled'].includes(cancelled.status));
  }
});

it('what the user can correct is one line: the file, the key, the address, and what the API refuses', async () => {
  const message = (...args: readonly string[]): Promise<string> =>
    batch(...args).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  const bad = await file('bad.jsonl', `${common(chat(), 0)}\n{`);
  const mixed = await file(
    'mixed.jsonl',
    `${common(chat(), 0)}\n${JSON.stringify({ custom_id: 'b', url: '/v1/messages', body: {} })}`,
  );
  const twice = await file('twice.jsonl', `${common(chat(), 0)}\n${common(chat(), 0)}`);
  assert.match(
    await message('submit', join(folder, 'none'), ...reach()),
    /^ConfigError: .*none: there is no such file/,
  );
  assert.match(await message('submit', bad, ...reach()), /^ConfigError: line 2 is not JSON/);
  assert.match(await message('submit', mixed, ...reach()), /^ConfigError: the lines name 2 addresses/);
  assert.match(await message('submit', await file('empty', '\n'), ...reach()), /^ConfigError: the file has no request/);
  assert.match(
    await message('submit', twice, ...reach()),
    /^ConfigError: the API answered 400: requests\[1\]\.custom_id repeats "c0"/,
  );
  assert.match(await message('show', 'batch_1', ...reach()), /^ConfigError: the API answered 404: No such batch/);
  assert.match(await message('list', '--data', folder), /^ConfigError: no cluster runs on/);
  const { id } = await clientOf(cluster, funded.key).submit(submission([chat({ ttft_ms: 600_000 })]));
  assert.match(await message('results', id, ...reach()), /^ConfigError: batch_.* has no results: it is/);
  await batch('cancel', id, ...reach());
});

test.run();
