/** Blobs stay while a row refers to them, even if their writers die; one node removes orphans, at a bounded pace. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import { blobId } from '../../../../actors/runtime/bytes/segment.ts';
import type { Member } from '../../../../actors/runtime/cluster/membership/member.ts';
import { type BlobSweepParts, blobSweep, isSweeper } from '../../../../actors/runtime/cluster/sweeps.ts';
import type { OpenBlob } from '../../../../actors/runtime/ports/blobs.ts';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import clusterConfig from '../../../../cluster.config.ts';
import { own, row, write } from '../../../contracts/store/records.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { pieces } from '../../../support/pieces.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const itLong = bounded(test);
const HOUR_MS = 3_600_000;
const ORPHAN_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const LIVING = 3_000;
const ORPHANS_A_MINUTE = 1_000;
const MINUTES = 6;
/** A round ends at most a minute after it began, and the next begins a minute later. */
const LATE_MINUTES_MAX = 3;
const limits = { sweepMs: 60_000, blobOrphanMs: ORPHAN_MS, sweepBlobsMax: 50 };

function kind(collections: Kind['collections']): Kind {
  return { collections } as Kind;
}

const sort = (): number => 0;
const column = (): string | null => null;
const KINDS = [
  kind({ files: { sort, index: [column, column], blob: 1 }, notes: { sort, index: [column] } }),
  kind({ videos: { sort, index: [column], blob: 0 } }),
];

async function stage(kinds: readonly Kind[] = KINDS, given: BlobSweepParts['limits'] = limits) {
  const clock = new HandClock(1_763_690_000_000);
  const store = new MemoryStore({ clock, shards: 16 });
  const blobs = new MemoryBlobs({ clock, random: systemRandom, bytesMax: 1_000_000 });
  const fence = await own(store, 'i1');
  const log: object[] = [];
  const mine = { is: true };
  const parts = {
    kinds,
    blobs,
    store,
    clock,
    limits: given,
    log: (line: object) => void log.push(line),
    now: () => clock.now(),
  };
  const task = blobSweep({ ...parts, isMine: () => mine.is });
  task.start();
  return {
    ...{ clock, store, blobs, log, mine, chore: task },
    put: (): Promise<OpenBlob> => blobs.put(pieces.of(pieces.random(100))),
    commit: (more: Parameters<typeof write>[1]) => store.commit([write(fence, more ?? {})]),
    left: () => blobs.list({ after: null, before: clock.now() + 1, limit: 1_000 }),
  };
}

it('a blob without a referring row is removed once it is old enough, and a referenced one stays', async () => {
  const { clock, put, commit, left, chore: task } = await stage();
  const [file, video, noted] = [await put(), await put(), await put()];
  await commit({
    rowsPut: [
      row('f', { collection: 'files', index: ['x', file.id] }),
      row('v', { collection: 'videos', index: [video.id] }),
      // Neither the referring column nor the referring collection.
      row('g', { collection: 'files', index: [noted.id, null] }),
      row('n', { collection: 'notes', index: [noted.id] }),
    ],
  });
  await clock.advance(ORPHAN_MS);
  assert.is((await left()).length, 3, 'it might still await its commit');
  await clock.advance(2 * limits.sweepMs);
  assert.equal([...(await left())].sort(), [file.id, video.id].sort());
  await commit({ rowsRemoved: [{ address: 'account:a', collection: 'files', id: 'f' }] });
  await clock.advance(2 * limits.sweepMs);
  assert.equal(await left(), [video.id], 'the removal of its row freed it');
  task.stop();
});

it('a row removed by its retention frees its blob', async () => {
  const { clock, store, put, commit, left, chore: task } = await stage();
  const { id } = await put();
  await commit({
    rowsPut: [row('f', { collection: 'files', index: [null, id], expiresAt: clock.now() + 48 * HOUR_MS })],
  });
  await clock.advance(48 * HOUR_MS);
  assert.equal(await left(), [id]);
  await store.sweepRows(clock.now() + 1, 9);
  await clock.advance(2 * limits.sweepMs);
  assert.equal(await left(), []);
  task.stop();
});

it('a long list is read in bounded pages, oldest first, and then from its beginning again', async () => {
  const { clock, put, commit, left, chore: task } = await stage();
  const rowsPut = [];
  for (let n = 0; n < 180; n++) {
    const { id } = await put();
    await clock.advance(1);
    if (n % 3 > 0) rowsPut.push(row(`f${n}`, { collection: 'files', index: [null, id] }));
  }
  await commit({ rowsPut });
  await clock.advance(ORPHAN_MS);
  const seen: number[] = [];
  for (let round = 0; round < 6; round++) {
    seen.push((await left()).length);
    await clock.advance(limits.sweepMs + 1_000);
  }
  const steps = seen.slice(1).map((count, at) => (seen[at] as number) - count);
  assert.ok(Math.max(...steps) <= limits.sweepBlobsMax, `removed per round: ${steps}`);
  assert.is((await left()).length, 120);
  await commit({ rowsRemoved: [{ address: 'account:a', collection: 'files', id: 'f1' }] });
  await clock.advance(6 * (limits.sweepMs + 1_000));
  assert.is((await left()).length, 119);
  task.stop();
});

itLong('with the limits of the product a thousand orphans a minute go on time, beside blobs that stay', async () => {
  const product = clusterConfig.runtime;
  const { clock, store, blobs, put, commit, chore: task } = await stage(KINDS, product);
  const kept = new Set<string>();
  for (let n = 0; n < LIVING; n++) {
    const { id } = await put();
    kept.add(id);
  }
  await commit({ rowsPut: [...kept].map((id, n) => row(`f${n}`, { collection: 'files', index: [null, id] })) });
  await clock.advance(1);
  for (let minute = 0; minute < MINUTES; minute++) {
    for (let n = 0; n < ORPHANS_A_MINUTE; n++) await put();
    await clock.advance(MINUTE_MS);
  }
  const work = workOf(clock, store, blobs);
  await clock.advance(ORPHAN_MS - MINUTES * MINUTE_MS - 1);
  for (let minute = 0; minute < MINUTES + LATE_MINUTES_MAX; minute++) {
    await clock.advance(MINUTE_MS);
    const ids = new Set(await allOf(blobs, clock.now() + 1));
    for (const id of kept) assert.ok(ids.has(id), 'a blob that a row refers to stays');
    const orphans = [...ids].filter((id) => !kept.has(id)).map((id) => clock.now() - blobId.madeAt(id));
    assert.is(orphans.filter((age) => age < ORPHAN_MS).length, Math.max(0, MINUTES - 1 - minute) * ORPHANS_A_MINUTE);
    const late = orphans.filter((age) => age >= ORPHAN_MS + LATE_MINUTES_MAX * MINUTE_MS);
    assert.is(late.length, 0, `${late.length} orphans are late in minute ${minute}`);
  }
  assert.is((await allOf(blobs, clock.now() + 1)).length, LIVING);
  assert.is(work.removed, MINUTES * ORPHANS_A_MINUTE);
  assert.ok(work.mostInAnInstant <= 50, `${work.mostInAnInstant} blobs were judged without a pause`);
  task.stop();
});

/** Counts removals, and the most blobs judged before the clock advances. */
function workOf(clock: HandClock, store: MemoryStore, blobs: MemoryBlobs) {
  const work = { removed: 0, mostInAnInstant: 0 };
  let [at, judged] = [0, 0];
  const { referred, remove } = { referred: store.referred.bind(store), remove: blobs.remove.bind(blobs) };
  store.referred = (columns, values) => {
    if (clock.now() > at) [at, judged] = [clock.now(), 0];
    judged += values.length;
    work.mostInAnInstant = Math.max(work.mostInAnInstant, judged);
    return referred(columns, values);
  };
  blobs.remove = async (id) => {
    work.removed++;
    return remove(id);
  };
  return work;
}

async function allOf(blobs: MemoryBlobs, before: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const page = await blobs.list({ after: found.at(-1) ?? null, before, limit: 1_000 });
    found.push(...page);
    if (page.length < 1_000) return found;
  }
}

it('a blob whose row moves to another collection while it is judged stays', async () => {
  const { clock, store, put, commit, left, chore: task } = await stage();
  const { id } = await put();
  const inFiles = row('m', { collection: 'files', index: [null, id] });
  const inVideos = row('m', { collection: 'videos', index: [id] });
  await commit({ rowsPut: [inFiles] });
  // Moves between any two reads of the sweep, forwards and backwards.
  const { referred, rows } = { referred: store.referred.bind(store), rows: store.rows.bind(store) };
  let moves = 0;
  const move = async (): Promise<void> => {
    const [from, to] = moves++ % 2 === 0 ? [inFiles, inVideos] : [inVideos, inFiles];
    await commit({ rowsPut: [to], rowsRemoved: [from] });
  };
  store.referred = async (columns, values) => {
    const found = await referred(columns, values);
    await move();
    return found;
  };
  store.rows = async (query) => {
    const found = await rows(query);
    await move();
    return found;
  };
  await clock.advance(ORPHAN_MS + 9 * limits.sweepMs);
  assert.ok(moves >= 8);
  assert.equal(await left(), [id]);
  task.stop();
});

it('a blob that cannot be removed does not block the next ones', async () => {
  const { clock, blobs, put, left, log, chore: task } = await stage();
  const stuck = await put();
  for (let n = 0; n < 120; n++) {
    await clock.advance(1);
    await put();
  }
  const remove = blobs.remove.bind(blobs);
  blobs.remove = async (id) => {
    if (id === stuck.id) throw new Error('the disk refuses');
    return remove(id);
  };
  await clock.advance(ORPHAN_MS + 12 * limits.sweepMs);
  assert.equal(await left(), [stuck.id]);
  assert.ok(log.some((line) => JSON.stringify(line).includes('the disk refuses')));
  task.stop();
});

it('only the sweeper sweeps, and no node does while the store is unreachable or no kind declares a blob', async () => {
  const { clock, store, put, left, mine, log, chore: task } = await stage();
  await put();
  mine.is = false;
  await clock.advance(ORPHAN_MS + 9 * limits.sweepMs);
  assert.is((await left()).length, 1);
  mine.is = true;
  store.cut = true;
  await clock.advance(2 * limits.sweepMs);
  assert.is((await left()).length, 1);
  assert.ok(log.some((line) => JSON.stringify(line).includes('blob sweep failed')));
  store.cut = false;
  await clock.advance(2 * limits.sweepMs);
  assert.is((await left()).length, 0);
  task.stop();

  const other = await stage([kind({ notes: { sort, index: [column] } })]);
  await other.put();
  await other.clock.advance(ORPHAN_MS + 9 * limits.sweepMs);
  assert.is((await other.left()).length, 1, 'to kinds that declare none, every blob would look like an orphan');
  other.chore.stop();
});

it('unfinished writes are swept at the same age', async () => {
  const { clock, blobs, chore: task } = await stage();
  const cut = blobs.connect();
  async function* source() {
    yield new Uint8Array(300_000);
    cut.cut = true;
    yield new Uint8Array(300_000);
  }
  await failureOf(cut.put(source()));
  await clock.advance(ORPHAN_MS - limits.sweepMs);
  assert.is(blobs.unfinished, 1);
  await clock.advance(3 * limits.sweepMs);
  assert.is(blobs.unfinished, 0);
  task.stop();
});

it('one of the remaining nodes is the sweeper, and none without fresh contact', () => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => ({ name, incarnation: `i-${name}`, state: 'up' }));
  const sweepers = (gone: string, fresh = true): string[] => {
    const rows = nodes.map((node) => (node.name === gone ? { ...node, state: 'draining' } : node));
    const member = { view: { nodes: rows, live: new Set(rows.map((node) => node.incarnation)) }, fresh };
    return nodes.map((node) => node.incarnation).filter((self) => isSweeper(self, member as unknown as Member));
  };
  const [first = ''] = sweepers('');
  assert.is(sweepers('').length, 1);
  const second = sweepers(first.slice(2));
  assert.is(second.length, 1);
  assert.is.not(second[0], first);
  assert.equal(sweepers('', false), []);
});

test.run();
