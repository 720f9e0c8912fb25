/** Every snapshot that any chart version ever stored either loads as it was saved or is refused with its name. */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyStateNode } from 'xstate';
import { kinds } from '../../actors/kinds.ts';
import { chartRange } from '../../actors/runtime/actor/charts/chart-range.ts';
import type { RegisteredKind } from '../../actors/runtime/actor/charts/register.ts';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import { RestoreRefused, restore } from '../../actors/runtime/actor/charts/snapshot.ts';
import { bounded } from '../support/bounded.ts';
import { type Golden, goldenScenes } from '../support/golden-scenes.ts';

const it = bounded(test);
const FOLDER = new URL('../fixtures/snapshots/', import.meta.url);
const known = new Map(kinds.map((kind) => [kind.name, register(kind)]));
const files = readdirSync(FOLDER).map((name) => {
  const [, kind = '', chart = ''] = /^([a-z-]+)-(\d+)\.json$/.exec(name) ?? [];
  return { name, kind, chart: Number(chart) };
});

const read = (name: string): readonly Golden[] => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

/** The state values in which a chart can rest: those of the whole, for charts without regions. */
function restingStates({ machine }: RegisteredKind): readonly string[] {
  return (Object.values(machine.root.states) as AnyStateNode[]).map(({ key }) => key).sort();
}

for (const kind of known.values()) {
  it(`${kind.name}: chart ${kind.version} has golden snapshots of every state (else run support/write-golden.ts)`, () => {
    const file = files.find((one) => one.kind === kind.name && one.chart === kind.version);
    assert.ok(file, `tests/fixtures/snapshots/${kind.name}-${kind.version}.json`);
    const values = read(file?.name ?? '').map(({ value }) => value as string);
    assert.equal([...values].sort(), restingStates(kind));
  });
}

for (const { name, kind: kindName, chart } of files) {
  it(`golden: ${name} loads as it was saved, or is refused`, () => {
    const kind = known.get(kindName);
    assert.ok(kind, `there is no kind ${kindName}`);
    const golden = read(name);
    assert.ok(golden.length > 0);
    for (const saved of golden) {
      const stored = { address: `${kindName}:golden`, chart, snapshot: JSON.stringify(saved) };
      if (chart < chartRange(kind as RegisteredKind).loads) {
        assert.throws(
          () => restore(kind as RegisteredKind, stored),
          (error: unknown) => error instanceof RestoreRefused,
        );
        continue;
      }
      const restored = restore(kind as RegisteredKind, stored);
      assert.ok(restored.value !== undefined && restored.status === saved.status);
      if (chart === kind?.version) assert.equal([restored.value, restored.context], [saved.value, saved.context]);
    }
  });
}

it('what the charts persist today has the members of the golden snapshots', () => {
  for (const [name, scenes] of goldenScenes()) {
    const kind = known.get(name);
    const golden = read(`${name}-${kind?.version}.json`);
    for (const { value, context } of scenes) {
      const same = golden.find((one) => JSON.stringify(one.value) === JSON.stringify(value));
      assert.equal(
        Object.keys(context as object).sort(),
        Object.keys((same?.context ?? {}) as object).sort(),
        `${name} ${JSON.stringify(value)}: a changed context needs a new chart version`,
      );
    }
  }
});

test.run();
