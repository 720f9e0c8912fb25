/** What an operator sees after the death of a node: tests of `up.test.ts`, behind the one that kills n1. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ClusterView } from '../../../../actors/runtime/index.ts';
import { told, toldJson } from './in-process.ts';
import type { It } from './operator-tests.ts';

interface DeadNode {
  /** The options that name the cluster. */
  readonly at: readonly string[];
  readonly data: string;
  /** What the launcher wrote to its terminal, beside its output. */
  readonly terminal: () => string;
}

export function deathTests(it: It, { at, data, terminal }: DeadNode): void {
  it('a death is on the terminal with its reason, in ps with the restarts, and in the log of the launcher', async () => {
    const line = /^troupe: node n1 ended \(ended by SIGKILL\) and starts again in [\d.]+ s; .*logs launcher/gm;
    assert.is(terminal().match(line)?.length, 1, terminal());
    const { nodes } = await toldJson<ClusterView>(['ps', ...at]);
    const [first, second] = ['n1', 'n2'].map((name) => nodes.find((node) => node.name === name && node.live));
    assert.equal([first?.restarts, first?.lastEnd?.reason], [{ total: 1, lastHour: 1 }, 'ended by SIGKILL']);
    assert.equal([second?.restarts, second?.lastEnd], [{ total: 0, lastHour: 0 }, null]);
    assert.ok(Number(first?.startedAt) > Number(second?.startedAt));
    assert.match(await told(['ps', ...at]), /^n1 +up +(\d+m )?\d+s +1 .* ended by SIGKILL, \d{4}-[-\dT:.]+Z/m);
    assert.match(await told(['logs', 'launcher', ...at]), /^launcher {2}\{.*"node\.end".*"ended by SIGKILL"/m);
  });

  it('no line of any log has a key twice', async () => {
    const folder = join(data, 'logs');
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
    const lines = logs.flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
    const records = lines.filter((text) => text.startsWith('{') && text.endsWith('}'));
    assert.ok(records.some((text) => text.includes('node marked dead')));
    for (const text of records) assert.is(JSON.stringify(JSON.parse(text)), text);
    assert.ok(records.every((text) => !text.includes('first commit after adoption')));
  });
}
