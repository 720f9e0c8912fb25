import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../../support/bounded.ts';
import { troupe } from '../command.ts';
import { told } from '../in-process.ts';

const it = bounded(test, 60_000);
const data = mkdtempSync(join(tmpdir(), 'troupe-logs-'));
const file = (name: string): string => join(data, 'logs', `${name}.log`);

test.before(() => {
  mkdirSync(join(data, 'logs'));
  writeFileSync(file('n1'), Array.from({ length: 30 }, (_, at) => `one ${at + 1}\n`).join(''));
  writeFileSync(file('n2'), 'two 1\n');
});
test.after(() => rmSync(data, { recursive: true, force: true }));

it('prints the newest lines of every process, or of one', async () => {
  assert.is(await told(['logs', '-n', '2', '--data', data]), 'n1  one 29\nn1  one 30\nn2  two 1\n');
  assert.is(await told(['logs', 'n2', '--data', data]), 'n2  two 1\n');
  assert.is((await told(['logs', 'n1', '--data', data])).split('\n').length, 21);
});

it('a process without a log is an error that names the others', async () => {
  const failed = await told(['logs', 'n9', '--data', data]).catch((error: Error) => error.message);
  assert.match(failed, /there is no log of n9; there are n1, n2/);
});

it('with --json each line is one object that names its process, also one that a process wrote around its log', async () => {
  const record = { level: 'info', time: '2026-01-02T03:04:05.678Z', node: 'n3', msg: 'serving' };
  writeFileSync(file('n3'), `${JSON.stringify(record)}\nError: broken\n[1]\n`);
  const lines = (await told(['logs', 'n3', '--json', '--data', data])).trimEnd().split('\n');
  assert.equal(
    lines.map((line) => JSON.parse(line) as unknown),
    [
      { process: 'n3', ...record },
      { process: 'n3', text: 'Error: broken' },
      { process: 'n3', text: '[1]' },
    ],
  );
  rmSync(file('n3'));
});

it('follows all processes: whole lines only, and a trimmed log from its beginning', async () => {
  const following = troupe(['logs', '-f', '-n', '1', '--data', data]);
  await following.until(/n2 {2}two 1\n/);
  appendFileSync(file('n1'), 'half');
  appendFileSync(file('n2'), 'two 2\n');
  await following.until(/n2 {2}two 2\n/);
  assert.not.match(following.out(), /half/);
  appendFileSync(file('n1'), ' and half\n');
  await following.until(/n1 {2}half and half\n/);
  writeFileSync(file('n2'), 'new\n');
  await following.until(/n2 {2}new\n/);
  following.child.kill('SIGKILL');
  await following.ended;
});

test.run();
