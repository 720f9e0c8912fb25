/**
 * Nothing sealed more than 50 h ago can be opened, neither here nor in any copy of the data with the remaining keys
 * (rule B46, rule B47, rule B48, rule B49, rule B44). The clock is compressed, everything else is real.
 */
import { createSecretKey } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SealBroken } from '../../../../actors/runtime/bytes/aead.ts';
import { keySweep } from '../../../../actors/runtime/cluster/sweeps.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type KeySweep,
} from '../../../../actors/runtime/ports/key-store.ts';
import { connect } from '../../../../actors/runtime/stores/sqlite/connect.ts';
import { holds } from '../../../contracts/key-store.contract.ts';
import { bounded } from '../../../support/bounded.ts';
import { everyByte } from '../../../support/every-byte.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { pieces } from '../../../support/pieces.ts';
import { SealedFolder, type SealedRecord } from '../../../support/sealed-folder.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test, 120_000);
const HOUR_MS = 3_600_000;
const START = 490_000 * HOUR_MS;
/** Hours in which a value is sealed; everything but the keys is copied after each. */
const HOURS = 54;
const DEAD_MS = 50 * HOUR_MS + 1_000;

function record(hour: number): SealedRecord {
  return {
    account: `account:${hour % 3}`,
    id: `r${hour}`,
    text: `words of hour ${hour}`,
    file: pieces.random(70_000, hour + 1),
  };
}

/** The offset within its hour at which a value is sealed, including the first and last millisecond. */
function offset(hour: number): number {
  return [0, HOUR_MS - 1, 1_234_567][hour % 3] as number;
}

class Drill {
  readonly folder = mkdtempSync(join(tmpdir(), 'troupe-forget-'));
  readonly clock = new HandClock(START);
  readonly logs: string[] = [];
  /** Every key that ever existed; only this test collects them. */
  readonly everyKey = new Map<string, Buffer>();
  opened = 0;
  sealed!: SealedFolder;
  #lastSweep: Promise<KeySweep> | null = null;
  #sweeps!: ReturnType<typeof keySweep>;

  get data(): string {
    return join(this.folder, 'data');
  }

  copy(hour: number): string {
    return join(this.folder, `copy-${hour}`);
  }

  async begin(): Promise<void> {
    this.sealed = await SealedFolder.open(this.data, this.clock);
    const { keys } = this.sealed;
    const watched = Object.assign(Object.create(keys) as KeyStore, {
      sweep: () => {
        this.#lastSweep = keys.sweep();
        return this.#lastSweep;
      },
    });
    const log = (line: object): void => void this.logs.push(inspect(line, { depth: 9, showHidden: true }));
    this.#sweeps = keySweep({ keys: watched, clock: this.clock, limits: { sweepMs: 24 * HOUR_MS }, log });
    this.#sweeps.start();
  }

  async end(): Promise<void> {
    this.#sweeps.stop();
    await this.sealed.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Advances the clock to this time, stopping at every full hour until its sweep is done. */
  async until(time: number): Promise<void> {
    while (this.clock.now() < time) {
      const now = this.clock.now();
      await this.clock.advance(Math.min(time, now - (now % HOUR_MS) + HOUR_MS) - now);
      await this.#lastSweep;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Copies everything but the keys, as a backup does. */
  backUp(hour: number): void {
    cpSync(this.data, this.copy(hour), { recursive: true, filter: (path) => path !== join(this.data, 'keys') });
    for (const [name, key] of this.keysLeft(join(this.data, 'keys'))) this.everyKey.set(name, key);
  }

  keysLeft(folder: string): readonly (readonly [string, Buffer])[] {
    const names = readdirSync(folder).filter((name) => name !== 'CACHEDIR.TAG');
    return names.map((name) => [name, readFileSync(join(folder, name))] as const);
  }

  /**
   * A thief opens a copy of the data with a copy of the remaining keys: first under a clock of its own, then with each
   * key in turn, whatever hour the value names.
   */
  async steal(copyHour: number, hours: readonly number[]): Promise<number> {
    const loot = join(this.folder, 'loot');
    cpSync(this.copy(copyHour), loot, { recursive: true });
    cpSync(join(this.data, 'keys'), join(loot, 'keys'), { recursive: true });
    // Node 22 copies a folder without its mode.
    chmodSync(join(loot, 'keys'), 0o700);
    const thief = await SealedFolder.open(loot, new HandClock(START));
    const loose = this.keysLeft(join(loot, 'keys')).map(([, bytes]) => ({
      key: async (hour: number) => ({ hour, secret: createSecretKey(bytes) }),
    }));
    let opens = 0;
    for (const hour of hours) {
      const { account, id } = record(hour);
      for (const keys of [thief.keys, ...(loose as unknown as KeyStore[])]) {
        const part = { from: 65_530, to: 65_540 };
        const texts = [() => thief.text(account, id, keys), () => thief.file(account, id, keys)];
        for (const attempt of [...texts, () => thief.file(account, id, keys, part)]) {
          const failure = await attempt().then(
            () => null,
            (error: unknown) => error,
          );
          if (failure === null) opens++;
          else if (!(failure instanceof KeyDestroyed || failure instanceof SealBroken)) throw failure;
          else this.logs.push(inspect(failure));
        }
      }
    }
    await thief.close();
    rmSync(loot, { recursive: true });
    return opens;
  }
}

it('the copies of every hour open nothing with the keys that remain after 50 h and 1 s, and no file contains a key (rule B46)', async () => {
  const drill = new Drill();
  await drill.begin();
  try {
    for (let hour = 0; hour < HOURS; hour++) {
      await drill.until(START + hour * HOUR_MS + offset(hour));
      await drill.sealed.keep(record(hour));
      drill.backUp(hour);
    }
    assert.is(
      await drill.steal(HOURS - 1, [HOURS - 1]),
      6,
      'within the time a thief opens text, file and part of a file, with either set of keys',
    );
    for (let hour = 0; hour < HOURS; hour++) {
      const { account, id, text, file } = record(hour);
      const sealedAt = START + hour * HOUR_MS + offset(hour);
      if (sealedAt + 49 * HOUR_MS >= drill.clock.now()) {
        await drill.until(sealedAt + 49 * HOUR_MS - 1);
        assert.is(await drill.sealed.text(account, id), text, `hour ${hour} opens for 49 h`);
        assert.ok((await drill.sealed.file(account, id)).equals(file));
      }
      await drill.until(sealedAt + DEAD_MS);
      assert.instance(await failureOf(drill.sealed.text(account, id)), KeyDestroyed);
      assert.is(await drill.steal(hour, [hour]), 0, `hour ${hour} opened at 50 h and 1 s`);
      const oldest = drill.clock.now() - 50 * HOUR_MS;
      for (const [name] of drill.keysLeft(join(drill.data, 'keys'))) {
        assert.ok(Date.parse(`${name.slice(0, 13)}:00:00Z`) > oldest, `${name} is older than 50 h`);
      }
    }
    const all = Array.from({ length: HOURS }, (_, hour) => hour);
    assert.is(await drill.steal(HOURS - 1, all), 0);
    assert.is(drill.everyKey.size, HOURS);
    assertNoKeyOutside(drill);
  } finally {
    await drill.end();
  }
});

/** Searches database, database log, blobs, their copies and the log lines for keys: raw, hex and base64. */
function assertNoKeyOutside(drill: Drill): void {
  const folders = [drill.data, ...[0, 7, HOURS - 1].map((hour) => drill.copy(hour))];
  const logs = Buffer.from(drill.logs.join('\n'));
  const haystacks = [...folders.map(everyByte), logs];
  assert.ok(haystacks.every((bytes) => bytes.length > 1_000));
  assert.ok(drill.logs.some((line) => line.includes('sealing keys destroyed')));
  for (const [name, key] of drill.everyKey) {
    for (const bytes of haystacks) assert.not.ok(holds(bytes, key), `the key ${name} was found`);
    assert.ok(
      holds(Buffer.concat([logs, Buffer.from(key.toString('base64'))]), key),
      'the search finds a key that is present',
    );
  }
}

async function withHouse(run: (sealed: SealedFolder, data: string, clock: HandClock) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-sealed-'));
  const data = join(folder, 'data');
  const clock = new HandClock(START);
  const sealed = await SealedFolder.open(data, clock);
  try {
    await run(sealed, data, clock);
  } finally {
    await sealed.close();
    rmSync(folder, { recursive: true });
  }
}

it('rows swapped between accounts or records in the database do not open (rule B48)', async () => {
  await withHouse(async (sealed, data) => {
    const records = [0, 1, 3, 4].map(record);
    for (const each of records) await sealed.keep(each);
    const connection = connect(join(data, 'troupe.db'), 'write');
    const bodies = connection.prepare('SELECT id, body FROM rows ORDER BY id').all() as { id: string; body: string }[];
    const update = connection.prepare('UPDATE rows SET body = ? WHERE id = ?');
    for (let shift = 1; shift < bodies.length; shift++) {
      bodies.forEach(({ id }, at) => void update.run(bodies[(at + shift) % bodies.length]?.body, id));
      for (const { account, id } of records) {
        assert.instance(await failureOf(sealed.text(account, id)), SealBroken);
        assert.instance(await failureOf(sealed.file(account, id)), SealBroken);
      }
    }
    for (const { id, body } of bodies) update.run(body, id);
    connection.close();
    for (const { account, id, text } of records) assert.is(await sealed.text(account, id), text);
  });
});

it('while the key store is unreachable nothing is stored, not even in part, and a later repeat succeeds (rule B44)', async () => {
  await withHouse(async (sealed, data, clock) => {
    renameSync(join(data, 'keys'), join(data, 'away'));
    for (let hour = 0; hour < 3; hour++) {
      assert.instance(await failureOf(sealed.keep(record(0))), KeyStoreUnreachable);
      await clock.advance(HOUR_MS);
    }
    assert.equal(await sealed.store.rows({ collection: 'files', limit: 9 }), []);
    assert.equal(await sealed.blobs.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
    assert.is(await sealed.blobs.sweepUnfinished(clock.now() + 1, 9), 0);
    renameSync(join(data, 'away'), join(data, 'keys'));
    const { account, id, text } = record(0);
    await sealed.keep(record(0));
    assert.is(await sealed.text(account, id), text);
    renameSync(join(data, 'keys'), join(data, 'away'));
    assert.instance(await failureOf(sealed.text(account, id)), KeyStoreUnreachable);
    renameSync(join(data, 'away'), join(data, 'keys'));
    assert.is(await sealed.text(account, id), text);
  });
});

it('a key lost before its time is reported as destroyed, and only its own hour is unreadable (rule B49)', async () => {
  await withHouse(async (sealed, data, clock) => {
    await sealed.keep(record(0));
    const [lost = ''] = readdirSync(join(data, 'keys')).filter((name) => name.endsWith('.key'));
    await clock.advance(HOUR_MS);
    await sealed.keep(record(1));
    rmSync(join(data, 'keys', lost));
    const [first, second] = [record(0), record(1)];
    assert.instance(await failureOf(sealed.text(first.account, first.id)), KeyDestroyed);
    assert.instance(await failureOf(sealed.file(first.account, first.id)), KeyDestroyed);
    assert.is(await sealed.text(second.account, second.id), second.text);
  });
});

test.run();
