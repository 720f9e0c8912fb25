import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Store } from '../../../../actors/runtime/ports/store.ts';
import { isBehind, withBootMarks } from '../../../../actors/runtime/stores/boot-mark.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { node } from '../../../contracts/store/records.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const it = bounded(test);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-marks-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const options = (folder: string, name = 'n1') => ({
  marks: { folder, node: name },
  clock: systemClock,
  random: systemRandom,
  onUnmarked: () => {},
});

const memory = () => functionsOf(new MemoryStore({ clock: systemClock, shards: 16 }));

/** A store's methods as members of a plain object, like those of the real stores. */
function functionsOf(store: MemoryStore): Store {
  const names = Object.getOwnPropertyNames(MemoryStore.prototype).filter((name) => name !== 'constructor');
  const methods = names.map((name) => [name, (store[name as 'close'] as () => Promise<void>).bind(store)]);
  return Object.fromEntries(methods) as Store;
}

it('a heartbeat writes the mark of its node, and the same store opens again', () =>
  inFolder(async (folder) => {
    const inner = memory();
    const store = await withBootMarks(inner, options(folder));
    const { birth } = await store.register(node('n1', 'i1'));
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    const mark = JSON.parse(readFileSync(join(folder, 'n1.json'), 'utf8')) as Record<string, unknown>;
    assert.equal([mark.incarnation, mark.birth, mark.beat], ['i1', birth, 1]);
    assert.equal(readdirSync(folder), ['n1.json']);
    await withBootMarks(inner, options(folder, 'n2'));
  }));

it('a node that beats while another one opens the store does not make the database look old', () =>
  inFolder(async (folder) => {
    const inner = memory();
    await inner.register(node('n1', 'i1'));
    const beat = async (): Promise<void> => {
      const again = await withBootMarks(inner, options(folder));
      await again.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    };
    await beat();
    let isOpening = true;
    const heartbeat: Store['heartbeat'] = async (seen) => {
      const rows = await inner.heartbeat(seen);
      if (isOpening) {
        isOpening = false;
        await beat();
      }
      return rows;
    };
    await withBootMarks({ ...inner, heartbeat }, options(folder, 'n2'));
    assert.not(isOpening);
  }));

it('a mark that cannot be written is reported once, until it can be again', () =>
  inFolder(async (folder) => {
    const reported: string[] = [];
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    const onUnmarked = ({ message }: Error) => void reported.push(message);
    const store = await withBootMarks(memory(), { ...options(folder), clock, onUnmarked });
    await store.register(node('n1', 'i1'));
    const beat = async (): Promise<void> => {
      now += 1_000;
      await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    };
    rmSync(folder, { recursive: true });
    await beat();
    await beat();
    assert.is(reported.length, 1);
    assert.match(reported[0] ?? '', /ENOENT/);
    mkdirSync(folder);
    await beat();
    rmSync(folder, { recursive: true });
    await beat();
    assert.is(reported.length, 2);
    mkdirSync(folder);
  }));

it('a mark of another database is ignored', () =>
  inFolder(async (folder) => {
    const store = await withBootMarks(memory(), options(folder));
    await store.register(node('n1', 'i1'));
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    await withBootMarks(memory(), options(folder));
  }));

it('a database is behind a mark when it lacks the marked birth or heartbeat', () => {
  const row = { ...node('n1', 'i1'), birth: 3, beat: 10, beatAt: 7, reaches: [], state: 'up', why: null } as const;
  const mark = { store: 's', incarnation: 'i1', birth: 3, beat: 10 };
  assert.is(isBehind([row], mark), false);
  assert.is(isBehind([row], { ...mark, beat: 11 }), true);
  assert.is(isBehind([row], { ...mark, incarnation: 'i2', birth: 4 }), true);
  assert.is(isBehind([], mark), true);
  // An old incarnation is no longer returned once enough others have ended after it.
  assert.is(isBehind([{ ...row, birth: 90, state: 'dead' }], { ...mark, incarnation: 'i0', birth: 2 }), false);
});

test.run();
