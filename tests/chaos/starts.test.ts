import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { problemsOfStarts, startsIn } from './starts.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-starts-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

let seconds = 0;
const line = (event: string, node: string, more: object = {}): string =>
  JSON.stringify({
    time: new Date(1e12 + 1_000 * seconds++).toISOString(),
    event,
    node,
    pid: 1,
    signal: null,
    ...more,
  });

function journal(...lines: readonly string[]): string {
  const file = join(folder, 'launcher.log');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

it('counts the starts of the journal: joined, ended by themselves, killed from outside, and still starting', () => {
  const file = journal(
    line('launcher.start', ''),
    line('node.start', 'n1'),
    line('node.start', 'n2'),
    line('node.up', 'n1'),
    line('node.end', 'n2', { reason: 'asked to rejoin with a new incarnation' }),
    line('node.start', 'n2'),
    line('node.end', 'n1', { reason: 'killed', signal: 'SIGKILL' }),
    line('node.up', 'n2'),
    line('node.end', 'n2', { reason: 'drained and left' }),
    line('node.start', 'n1'),
    line('node.end', 'n1', { reason: 'ended by SIGKILL', signal: 'SIGKILL' }),
    line('node.start', 'n1'),
  );
  assert.equal(startsIn(file), [
    { node: 'n1', joinedMs: 2_000, failure: null },
    { node: 'n2', joinedMs: null, failure: 'asked to rejoin with a new incarnation' },
    { node: 'n2', joinedMs: 2_000, failure: null },
    { node: 'n1', joinedMs: null, failure: null },
    { node: 'n1', joinedMs: null, failure: null },
  ]);
  assert.equal(problemsOfStarts(startsIn(file)), [
    'a start of n2 ended before it served: asked to rejoin with a new incarnation',
  ]);
});

test.run();
