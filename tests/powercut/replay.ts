/**
 * Cuts the power in the middle of a recording: synced writes survive; of the unsynced ones any subset survives, in any
 * order and torn. Then opens the files normally, and checks that they are sound and which commits they hold.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { DiskEvent, DiskFile, Recording } from './disk-event.ts';

interface CutReport {
  readonly cuts: number;
  /** Cuts that lost an acknowledged commit, and the maximum lost by one cut. */
  readonly losing: number;
  readonly lostMost: number;
  /** Cuts that left a file that SQLite reports as damaged, or half of a commit. */
  readonly damaged: readonly string[];
  /** Cuts at a moment with unsynced writes. */
  readonly atStake: number;
}

type Change = Extract<DiskEvent, { readonly file: DiskFile; readonly type: 'write' | 'resize' }>;

const SECTOR_BYTES = 512;
const FATES = ['nothing unsynced', 'a part in order', 'any part', 'any part, torn'] as const;

/** `chance` in [0, 1), seeded. Cuts cover the recording from start to end. */
export function cutPower(recording: Recording, cuts: number, chance: () => number): CutReport {
  const disk = new Disk(recording.base);
  const folder = mkdtempSync(join(tmpdir(), 'troupe-cut-'));
  const report = { cuts, losing: 0, lostMost: 0, damaged: [] as string[], atStake: 0 };
  const { events } = recording;
  const momentAt = moments(events);
  let next = 0;
  try {
    for (let cut = 0; cut < cuts; cut++) {
      const moment = momentAt((cut + chance()) / cuts);
      while (next < moment) disk.take(events[next++] as DiskEvent);
      const fate = FATES[cut % FATES.length] as (typeof FATES)[number];
      if (disk.unsynced.length > 0) report.atStake++;
      const found = inspect(folder, disk.after(fate, chance));
      if (typeof found === 'string') report.damaged.push(`cut at event ${moment}, ${fate}: ${found}`);
      const lost = disk.acknowledged - (typeof found === 'string' ? 0 : found);
      if (lost > 0) report.losing++;
      report.lostMost = Math.max(report.lostMost, lost);
    }
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Events of a large commit far from its acknowledgement are similar, so they have a lower weight. */
const NEAR_EVENTS = 40;
const FAR_WEIGHT = 0.02;

/** The number of events before a share of the run, in [0, 1). */
function moments(events: readonly DiskEvent[]): (share: number) => number {
  const until: number[] = [];
  let sum = 0;
  let since = 0;
  for (const { type } of events) {
    since = type === 'acknowledged' ? 0 : since + 1;
    sum += since < NEAR_EVENTS ? 1 : FAR_WEIGHT;
    until.push(sum);
  }
  return (share) => until.findIndex((each) => each > share * sum) + 1;
}

class Disk {
  acknowledged = 0;
  unsynced: Change[] = [];
  readonly #durable: Record<DiskFile, Image>;

  constructor(base: Recording['base']) {
    this.#durable = { db: new Image(base.db), wal: new Image(base.wal) };
  }

  take(event: DiskEvent): void {
    if (event.type === 'acknowledged') this.acknowledged = event.version;
    else if (event.type === 'sync') {
      for (const change of this.unsynced) if (change.file === event.file) this.#durable[event.file].apply(change);
      this.unsynced = this.unsynced.filter((change) => change.file !== event.file);
    } else this.unsynced.push(event);
  }

  /** The files after a power cut at this moment. */
  after(fate: (typeof FATES)[number], chance: () => number): Record<DiskFile, Buffer> {
    const left = { db: this.#durable.db.copy(), wal: this.#durable.wal.copy() };
    for (const change of survivors(this.unsynced, fate, chance)) left[change.file].apply(change);
    return { db: left.db.bytes, wal: left.wal.bytes };
  }
}

function survivors(unsynced: readonly Change[], fate: (typeof FATES)[number], chance: () => number): readonly Change[] {
  if (fate === 'nothing unsynced') return [];
  if (fate === 'a part in order') return unsynced.slice(0, Math.floor(chance() * (unsynced.length + 1)));
  const kept = unsynced.filter(() => chance() < 0.5);
  if (fate === 'any part' || kept.length === 0) return kept;
  const torn = Math.floor(chance() * kept.length);
  return kept.map((change, at) => (at === torn ? tear(change, chance) : change));
}

/** A disk writes whole sectors: a torn write keeps its first or its last sectors. */
function tear(change: Change, chance: () => number): Change {
  if (change.type !== 'write' || change.bytes.length <= SECTOR_BYTES) return change;
  const sectors = Math.floor(change.bytes.length / SECTOR_BYTES);
  const at = (1 + Math.floor(chance() * (sectors - 1))) * SECTOR_BYTES;
  return chance() < 0.5
    ? { ...change, bytes: change.bytes.subarray(0, at) }
    : { ...change, at: change.at + at, bytes: change.bytes.subarray(at) };
}

class Image {
  #store: Buffer;
  #size: number;

  constructor(bytes: Buffer) {
    this.#store = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get bytes(): Buffer {
    return this.#store.subarray(0, this.#size);
  }

  copy(): Image {
    return new Image(this.bytes);
  }

  apply(change: Change): void {
    const end = change.type === 'resize' ? change.size : change.at + change.bytes.length;
    if (end > this.#store.length) this.#store = Buffer.concat([this.bytes], Math.max(end, this.#store.length * 2));
    if (change.type === 'resize') {
      if (end < this.#size) this.#store.fill(0, end, this.#size);
      this.#size = end;
      return;
    }
    change.bytes.copy(this.#store, change.at);
    this.#size = Math.max(this.#size, end);
  }
}

/** The version of both actors of the pair, or a description of the damage. */
function inspect(folder: string, files: Record<DiskFile, Buffer>): number | string {
  const path = join(folder, 't.db');
  rmSync(`${path}-shm`, { force: true });
  writeFileSync(path, files.db);
  writeFileSync(`${path}-wal`, files.wal);
  try {
    const db = new Database(path);
    try {
      const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
      if (verdict !== 'ok') return verdict;
      const versions = db.prepare('SELECT version FROM actors ORDER BY address').pluck().all() as number[];
      const rows = db.prepare("SELECT count(*) FROM rows WHERE collection = 'holds'").pluck().get() as number;
      const [left = 0, right = 0] = versions;
      if (left !== right || rows !== left) return `half a commit: versions ${left} and ${right}, ${rows} rows`;
      return left;
    } finally {
      db.close();
    }
  } catch (error) {
    return String(error);
  }
}
