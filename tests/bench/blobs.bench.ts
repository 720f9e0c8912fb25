import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealBlob } from '../../actors/runtime/bytes/seal.ts';
import type { Blobs } from '../../actors/runtime/ports/blobs.ts';
import type { Store } from '../../actors/runtime/ports/store.ts';
import { openBlobDirectory } from '../../actors/runtime/stores/directory/open-blob-directory.ts';
import { openPostgresBlobs } from '../../actors/runtime/stores/postgres/open-postgres-blobs.ts';
import { openPostgresStore } from '../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import { actor, own, row, SHARDS, write } from '../contracts/store/records.ts';
import { MemoryKeyStore } from '../support/memory-key-store.ts';
import { pieces } from '../support/pieces.ts';
import { testBounds } from '../support/postgres/bounds.ts';
import { openDatabase } from '../support/postgres/database.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';

/**
 * The effect of accepting a file of 32 MiB on the durable commits of other callers: one small commit after the other,
 * without and with blobs of that size being encrypted and written, one at a time with a pause between two, on the same
 * disk, from the same process. Rounds alternate; the percentiles are over all rounds of a side.
 */
const BLOB_BYTES = 32 * 1024 * 1024;
/** Chunk size of a body from a socket. */
const ARRIVING_BYTES = 64 * 1024;
const STALL_MS_MAX = 25;
/** Pause between two acceptances, so that disk work of the first does not count for the second. */
const REST_MS = 500;
const ports = { clock: systemClock, random: systemRandom };

interface Place {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly close: () => Promise<void>;
}

export async function benchBlobs({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, open] of [['sqlite', inFolder] as const, ['postgres', inPostgres] as const]) {
    const place = await open();
    try {
      figures.push(...(await measure(name, place, seconds * 1_000, rounds)));
    } finally {
      await place.close();
    }
  }
  return figures;
}

async function measure(name: string, { store, blobs }: Place, ms: number, rounds: number): Promise<readonly Figure[]> {
  const commits = await committer(store);
  await commits(ms / 4);
  const alone: number[] = [];
  const beside: number[] = [];
  let written = 0;
  let writingMs = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await commits(ms)));
    let over = false;
    const writing = (async () => {
      for (; !over; written++) {
        const startedAt = performance.now();
        await acceptOne(blobs);
        writingMs += performance.now() - startedAt;
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    })();
    beside.push(...(await commits(ms)));
    over = true;
    await writing;
  }
  const megabytes = ((written * BLOB_BYTES) / (1024 * 1024) / writingMs) * 1_000;
  const goal = { atMost: STALL_MS_MAX, of: 'difference' } as const;
  return [0.5, 0.99, 1].map((share) => ({
    name: `commit beside 32 MiB blobs, ${name}, ${share === 1 ? 'max' : `p${share * 100}`}`,
    unit: 'ms',
    ours: at(beside, share),
    baseline: at(alone, share),
    goal,
    note:
      share === 1
        ? `${written} blobs at ${megabytes.toFixed(0)} MiB/s`
        : `${beside.length} commits beside ${alone.length}`,
  }));
}

/** Durable commits of one actor and one row, in sequence; returns the duration of each. */
async function committer(store: Store): Promise<(ms: number) => Promise<readonly number[]>> {
  const fence = await own(store, 'bench');
  let version = 0;
  return async (ms) => {
    const took: number[] = [];
    const end = performance.now() + ms;
    while (performance.now() < end) {
      version++;
      const actors = [{ record: actor('account:a', version), expected: version - 1 }];
      const began = performance.now();
      const [verdict] = await store.commit([write(fence, { actors, rowsPut: [row(`r${version}`)] })]);
      took.push(performance.now() - began);
      if (!verdict?.committed) throw new Error('a commit was refused');
    }
    return took;
  };
}

async function acceptOne(blobs: Blobs): Promise<void> {
  const key = await new MemoryKeyStore(ports).current();
  const place = { owner: 'account:a', object: 'file_1', kind: 'file' };
  const { id } = sealBlob(key, place, await blobs.put(arriving()), systemRandom);
  await blobs.remove(id);
}

const body = pieces.random(ARRIVING_BYTES);

async function* arriving(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < BLOB_BYTES; sent += ARRIVING_BYTES) {
    yield body;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function inFolder(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-blobs-'));
  const path = join(folder, 'troupe.db');
  const store = await openSqliteStore({ path, shards: SHARDS, busyBoundMs: 5_000, ...ports });
  const blobs = await openBlobDirectory({ path: join(folder, 'blobs'), bytesMax: 2 * BLOB_BYTES, ...ports });
  const close = async (): Promise<void> => {
    await Promise.all([store.close(), blobs.close()]);
    rmSync(folder, { recursive: true });
  };
  return { store, blobs, close };
}

async function inPostgres(): Promise<Place> {
  const database = await openDatabase();
  const { url } = database;
  const store = await openPostgresStore({ url, shards: SHARDS, bounds: testBounds, ...ports });
  const blobs = await openPostgresBlobs({ url, bounds: testBounds, bytesMax: 2 * BLOB_BYTES, ...ports });
  const close = async (): Promise<void> => {
    await Promise.all([store.close(), blobs.close()]);
    await database.drop();
  };
  return { store, blobs, close };
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
