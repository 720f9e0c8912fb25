/** Expired rows are exported before they leave, once, whichever step the node dies at. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { opened, settled } from '../../../../actors/account/generation.ts';
import { rowSweep } from '../../../../actors/runtime/cluster/sweeps.ts';
import type { RowRecord } from '../../../../actors/runtime/index.ts';
import { ExpiredRows } from '../../../../gateway/management/retention/expired-rows.ts';
import { ExportFolder } from '../../../../gateway/management/retention/export-folder.ts';
import { HandClock } from '../../../actors/runtime/durable/hand-clock.ts';
import { own, row, write } from '../../../contracts/store/records.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { request, settlement } from '../../../support/model/words.ts';

const it = bounded(test);
const START = Date.UTC(2026, 4, 1, 10, 30);
const HOUR_MS = 3_600_000;
const limits = { sweepMs: 60_000, sweepRowsMax: 2 };
const COUNT = 5;

function generationRow(n: number, cost = '0.125'): RowRecord {
  const id = `gen-${n}`;
  const at = START - 90 * 24 * HOUR_MS + n;
  const held = opened({ request: request(id, '1'), key: 'key:acct_1/key_1', at });
  const body = JSON.stringify(settled(held, settlement(id, cost), at + 1_000));
  return row(id, { address: 'account:acct_1', collection: 'generation', sort: at, expiresAt: START + n, body });
}

interface Stage {
  readonly folder: string;
  readonly store: MemoryStore;
  readonly put: (rows: readonly RowRecord[]) => Promise<void>;
  readonly left: () => Promise<number>;
  /** A sweep at this time by a new process, which dies where the store is told to. True if it went well. */
  readonly sweep: (at: number) => Promise<boolean>;
}

async function staged(run: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'expired-'));
  const clock = new HandClock(START);
  const store = new MemoryStore({ clock, shards: 16 });
  const fence = await own(store, 'i1');
  const put = async (rowsPut: readonly RowRecord[]): Promise<void> => {
    await store.commit([write(fence, { rowsPut })]);
  };
  const sweep = async (at: number): Promise<boolean> => {
    let failed = false;
    const rowExport = new ExpiredRows(new ExportFolder(folder, 'n1'));
    const log = () => {
      failed = true;
    };
    const task = rowSweep({ isMine: () => true, store, rowExport, clock, limits, log, now: () => at });
    let ended = (): void => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    // A round that ends sets the timer of the next one.
    const after = clock.after.bind(clock);
    let timers = 0;
    clock.after = (ms, call) => {
      if (++timers === 2) ended();
      return after(ms, call);
    };
    task.start();
    await clock.advance(limits.sweepMs);
    await end;
    task.stop();
    clock.after = after;
    return !failed;
  };
  const left = async () => (await store.rows({ collection: 'generation', limit: 100 })).length;
  try {
    await run({ folder, store, put, left, sweep });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names of the files below a folder, pending ones among them, and all of their lines. */
function filesIn(folder: string): { readonly names: readonly string[]; readonly lines: readonly { id: string }[] } {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(gz|part)$/.test(name));
  const lines = names.flatMap((name) => {
    assert.is(statSync(join(folder, name)).mode & 0o077, 0);
    const all = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trimEnd()
      .split('\n');
    assert.is(JSON.parse(all.at(-1) as string).end.lines, all.length - 1);
    return all.slice(0, -1).map((line) => JSON.parse(line) as { id: string });
  });
  return { names, lines };
}

const GENERATIONS = Array.from({ length: COUNT }, (_, n) => generationRow(n));
const OTHERS = [row('kept'), row('old', { expiresAt: START })];

it('what expired before the hour is exported as it is shown, and leaves with the rest (rule K86)', () =>
  staged(async ({ folder, store, put, left, sweep }) => {
    await put([...GENERATIONS, ...OTHERS]);
    assert.ok(await sweep(START + HOUR_MS / 3));
    assert.is(await left(), COUNT, 'the hour has not ended');
    assert.ok(await sweep(START + HOUR_MS));
    assert.is(await left(), 0);
    assert.equal(
      (await store.rows({ collection: 'holds', limit: 9 })).map(({ id }) => id),
      ['kept'],
    );
    const { names, lines } = filesIn(folder);
    assert.is(names.length, 1);
    assert.match(names[0] as string, /^generations\/2026-01-31\/2026-01-31T10-[0-9a-f]{16}\.jsonl\.gz$/);
    const [first] = lines as unknown as { id: string; usage: number; actor: string; key: string; status: string }[];
    assert.equal(
      [first?.id, first?.usage, first?.actor, first?.key, first?.status],
      ['gen-0', 0.125, 'account:acct_1', 'key:acct_1/key_1', 'settled'],
    );
    assert.not.match(JSON.stringify(lines), /idempotency|gateway/);
    assert.ok(await sweep(START + 2 * HOUR_MS));
    assert.is(filesIn(folder).names.length, 1, 'no row, no file');
  }));

it('a death between export and removal loses no row and exports none twice (rule K86)', () =>
  staged(async ({ folder, store, put, left, sweep }) => {
    await put(GENERATIONS);
    const removeRows = store.removeRows.bind(store);
    for (const removals of [0, 1, 2]) {
      let calls = 0;
      store.removeRows = (rows) =>
        calls++ === removals ? Promise.reject(new Error('the node is killed')) : removeRows(rows);
      assert.not(await sweep(START + HOUR_MS));
      assert.match(filesIn(folder).names[0] as string, /^pending\/generations\//);
      assert.is(filesIn(folder).lines.length, COUNT);
    }
    store.removeRows = removeRows;
    // Meanwhile another row has expired: it does not join the file that is pending.
    await put([generationRow(9)]);
    assert.ok(await sweep(START + HOUR_MS));
    assert.is(await left(), 0);
    const { names, lines } = filesIn(folder);
    assert.ok(names.every((name) => name.startsWith('generations/')));
    assert.equal(lines.map(({ id }) => id).sort(), [...GENERATIONS.map(({ id }) => id), 'gen-9']);
  }));

it('a row that changes after its export stays until it is exported anew (rule K86)', () =>
  staged(async ({ folder, store, put, left, sweep }) => {
    await put(GENERATIONS);
    const removeRows = store.removeRows.bind(store);
    store.removeRows = async (rows) => {
      await put([generationRow(1, '0.5')]);
      store.removeRows = removeRows;
      return removeRows(rows);
    };
    assert.ok(await sweep(START + HOUR_MS));
    assert.is(await left(), 1);
    assert.ok(await sweep(START + HOUR_MS));
    assert.is(await left(), 0);
    const costs = filesIn(folder).lines as unknown as { id: string; usage: number }[];
    assert.equal(
      costs
        .filter(({ id }) => id === 'gen-1')
        .map(({ usage }) => usage)
        .sort(),
      [0.125, 0.5],
    );
  }));

it('nothing leaves while the folder cannot be written (rule K86)', () =>
  staged(async ({ folder, put, left, sweep }) => {
    await put([...GENERATIONS, ...OTHERS]);
    rmSync(folder, { recursive: true });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(folder, 'a file where the folder should be');
    assert.not(await sweep(START + HOUR_MS));
    assert.is(await left(), COUNT);
  }));

test.run();
