/** Every clause of the KeyStore port as tests. One suite, run by each implementation from its own test file. */
import * as assert from 'uvu/assert';
import { SealBroken } from '../../actors/runtime/bytes/aead.ts';
import { openBlob, openValue, sealBlob, sealValue } from '../../actors/runtime/bytes/seal.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type SealingKey,
} from '../../actors/runtime/ports/key-store.ts';
import { systemRandom } from '../../actors/runtime/system/clock.ts';
import type { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { failureOf } from '../support/failure-of.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { pieces } from '../support/pieces.ts';
import { type Clause as ClauseOf, clausesOf } from './clauses.ts';

/** One opened, empty key store under the given clock. */
interface OpenedKeys {
  readonly keys: KeyStore;
  /** Other nodes' connections to the same keys. */
  readonly others: readonly KeyStore[];
  /** Makes the storage of the keys unreachable, and restores it unchanged. */
  readonly block: () => Promise<void>;
  readonly unblock: () => Promise<void>;
  /** All stored bytes, as a thief of the storage would have them. */
  readonly contents: () => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

type Clause = ClauseOf<OpenedKeys>;

const HOUR_MS = 3_600_000;
const LIFE_MS = 50 * HOUR_MS;
const HOUR = 489_913;
/** The first millisecond of an hour, so that each clause sets its own time within the hour. */
const START = HOUR * HOUR_MS;

/** Registers the whole suite under `name`; the caller runs it with `test.run()`. */
export function keyStoreContract(name: string, open: (clock: HandClock) => Promise<OpenedKeys>): void {
  const clause = clausesOf(name, START, open);
  makingClauses(clause);
  lifeClauses(clause);
  sealedClauses(clause);
  reachClauses(clause);
}

function bytesOf({ secret }: SealingKey): Buffer {
  return secret.export();
}

function makingClauses(clause: Clause): void {
  clause(
    'a key is created on first use in its hour, has 256 bits and stays the same until the hour ends',
    async (opened) => {
      const { keys, clock } = opened;
      const first = await keys.current();
      assert.is(first.hour, HOUR);
      assert.is(bytesOf(first).length, 32);
      await clock.advance(HOUR_MS - 1);
      assert.ok(bytesOf(await keys.current()).equals(bytesOf(first)));
      await clock.advance(1);
      const second = await keys.current();
      assert.is(second.hour, HOUR + 1);
      assert.not.ok(bytesOf(second).equals(bytesOf(first)));
      assert.ok(bytesOf(await keys.key(HOUR)).equals(bytesOf(first)));
    },
  );

  clause('nodes that request a new hour at once get one key', async ({ keys, others, clock }) => {
    for (let hour = 0; hour < 5; hour++) {
      const nodes = [keys, ...others];
      const asked = [...nodes, ...nodes, ...nodes].map((node) => node.current());
      const found = new Set((await Promise.all(asked)).map((key) => bytesOf(key).toString('hex')));
      assert.is(found.size, 1);
      assert.ok(found.has(bytesOf(await (others[0] as KeyStore).key(HOUR + hour)).toString('hex')));
      await clock.advance(HOUR_MS);
    }
    assert.is((await keys.sweep()).kept, 5);
  });

  clause('an hour without use has no key', async ({ keys, clock }) => {
    await keys.current();
    await clock.advance(2 * HOUR_MS);
    const failure = await failureOf(keys.key(HOUR + 1));
    assert.instance(failure, KeyDestroyed);
    assert.is((failure as KeyDestroyed).hour, HOUR + 1);
  });

  clause('a key reveals its bytes neither as text nor as JSON', async ({ keys }) => {
    const key = await keys.current();
    const { inspect } = await import('node:util');
    const shown = [JSON.stringify(key), String(key.secret), inspect(key, { depth: 9, showHidden: true })].join(' ');
    for (const form of ['hex', 'base64', 'latin1'] as const) assert.not.ok(shown.includes(bytesOf(key).toString(form)));
  });
}

function lifeClauses(clause: Clause): void {
  clause('a key from the last millisecond of its hour opens for another 49 h', async ({ keys, clock }) => {
    await clock.advance(HOUR_MS - 1);
    const key = bytesOf(await keys.current());
    await clock.advance(49 * HOUR_MS);
    assert.equal(await keys.sweep(), { destroyed: 0, kept: 1 });
    assert.ok(bytesOf(await keys.key(HOUR)).equals(key));
  });

  clause(
    '50 h after its hour began a key opens nothing, whether a sweep came or not',
    async ({ keys, others, clock }) => {
      await keys.current();
      await clock.advance(LIFE_MS - 1);
      await keys.key(HOUR);
      await clock.advance(1);
      for (const node of [keys, ...others]) assert.instance(await failureOf(node.key(HOUR)), KeyDestroyed);
      assert.equal(await keys.sweep(), { destroyed: 1, kept: 0 });
      for (const node of [keys, ...others]) assert.instance(await failureOf(node.key(HOUR)), KeyDestroyed);
    },
  );

  clause(
    'a sweep destroys expired keys, keeps the others, and is safe when all nodes run it at once',
    async (opened) => {
      const { keys, others, clock } = opened;
      for (let hour = 0; hour < 4; hour++) {
        await keys.current();
        await clock.advance(HOUR_MS);
      }
      await clock.advance(LIFE_MS - 2 * HOUR_MS);
      const swept = await Promise.all([keys, ...others].map((node) => node.sweep()));
      assert.is(
        swept.reduce((sum, { destroyed }) => sum + destroyed, 0),
        3,
      );
      assert.equal(await keys.sweep(), { destroyed: 0, kept: 1 });
      await keys.key(HOUR + 3);
    },
  );

  clause('after the sweep the storage contains no byte of the destroyed key', async ({ keys, clock, contents }) => {
    const gone = bytesOf(await keys.current());
    await clock.advance(LIFE_MS - HOUR_MS);
    const kept = bytesOf(await keys.current());
    assert.ok(holds(await contents(), gone) && holds(await contents(), kept), 'the search finds existing bytes');
    await clock.advance(HOUR_MS);
    await keys.sweep();
    const left = await contents();
    assert.not.ok(holds(left, gone));
    assert.ok(holds(left, kept));
  });

  clause('a clock set back does not restore a destroyed key', async ({ keys, clock }) => {
    const gone = bytesOf(await keys.current());
    await clock.advance(LIFE_MS);
    await keys.sweep();
    await clock.advance(-LIFE_MS);
    assert.instance(await failureOf(keys.key(HOUR)), KeyDestroyed);
    assert.not.ok(bytesOf(await keys.current()).equals(gone));
  });
}

function sealedClauses(clause: Clause): void {
  clause(
    'bytes sealed by one node can be opened by every node, including a range of a blob, until the key expires',
    async (opened) => {
      const { keys, others, clock } = opened;
      const place = { owner: 'account:a', object: 'file_1', kind: 'file' };
      const plain = pieces.random(200_000);
      const blobs = new MemoryBlobs({ clock, random: systemRandom, bytesMax: plain.length });
      const key = await keys.current();
      const value = sealValue(key, place, plain.subarray(0, 99), systemRandom);
      const blob = sealBlob(key, place, await blobs.put(pieces.of(plain)), systemRandom);
      const range = { from: 131_000, to: 132_000 };
      await clock.advance(LIFE_MS - 1);
      for (const node of [keys, ...others]) {
        assert.ok((await openValue(node, place, value)).equals(plain.subarray(0, 99)));
        const part = await pieces.gather(blobs.read(await openBlob(node, place, blob), range));
        assert.ok(part.equals(plain.subarray(range.from, range.to)));
        const elsewhere = { ...place, owner: 'account:b' };
        assert.instance(await failureOf(openBlob(node, elsewhere, blob)), SealBroken);
      }
      await clock.advance(1);
      for (const node of [keys, ...others]) {
        assert.instance(await failureOf(openValue(node, place, value)), KeyDestroyed);
        assert.instance(await failureOf(openBlob(node, place, blob)), KeyDestroyed);
      }
    },
  );
}

function reachClauses(clause: Clause): void {
  clause(
    'while unreachable no key is created, opened or reported destroyed; afterwards all is unchanged',
    async (opened) => {
      const { keys, clock, block, unblock } = opened;
      const before = bytesOf(await keys.current());
      await block();
      for (const work of [() => keys.current(), () => keys.key(HOUR), () => keys.sweep()]) {
        assert.instance(await failureOf(work()), KeyStoreUnreachable);
      }
      await clock.advance(HOUR_MS);
      assert.instance(await failureOf(keys.current()), KeyStoreUnreachable);
      await unblock();
      assert.is((await keys.current()).hour, HOUR + 1);
      assert.ok(bytesOf(await keys.key(HOUR)).equals(before));
      assert.is((await keys.sweep()).kept, 2);
    },
  );
}

/** Raw, hex and base64 in each of its three alignments, the forms in which a dump can contain it. */
export function holds(haystack: Buffer, key: Buffer): boolean {
  const texts = [0, 1, 2].map((skip) => {
    const shifted = Buffer.concat([Buffer.alloc(skip), key]).toString('base64');
    return shifted.slice(skip === 0 ? 0 : skip + 1, -4).replace(/=+$/, '');
  });
  const forms = [key, Buffer.from(key.toString('hex')), Buffer.from(key.toString('hex').toUpperCase())];
  return [...forms, ...texts.map((text) => Buffer.from(text))].some((form) => haystack.includes(form));
}
