/** The blob example of the README: an activity writes a clip, a row keeps it, a client reads a range. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blobSweep } from '../../actors/runtime/cluster/sweeps.ts';
import { BlobRangeError, KeyStoreUnreachable, SealBroken, type SealedBlob } from '../../actors/runtime/index.ts';
import { systemRandom } from '../../actors/runtime/system/clock.ts';
import { bounded } from '../support/bounded.ts';
import { failureOf } from '../support/failure-of.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemoryKeyStore } from '../support/memory-key-store.ts';
import { pieces } from '../support/pieces.ts';
import { filmKind, readClip, renderer } from './example-kinds/film.ts';
import { HandClock } from './runtime/durable/hand-clock.ts';
import { Stages, until } from './runtime/durable/stage.ts';

const it = bounded(test);
const FILM = 'film:account_1/film_1';
const HOUR_MS = 3_600_000;
const limits = { sweepMs: 60_000, blobOrphanMs: 24 * HOUR_MS, sweepBlobsMax: 1_000 };

it('a clip stored by an activity is kept by its row and can be read by range only at its own place', async () => {
  const clock = new HandClock(490_000 * HOUR_MS);
  const ports = { clock, random: systemRandom };
  const bytes = {
    blobs: new MemoryBlobs({ ...ports, bytesMax: 10_000_000 }),
    keys: new MemoryKeyStore(ports),
  };
  const clip = pieces.random(1_000_000);
  const stages = new Stages(clock);
  const stage = await stages.open('n1', { render: renderer(bytes, systemRandom, () => pieces.of(clip)) }, [filmKind]);
  await stage.take((await stages.store.shards()).map(({ shard }) => shard));
  const orphan = await bytes.blobs.put(pieces.of(clip));
  await stage.body(FILM, { type: 'film.order' });
  const stored = () => stage.store.row({ address: FILM, collection: 'clips', id: 'clip' });
  await until(async () => (await stored()) !== null);
  const sealed = JSON.parse((await stored())?.body ?? '') as SealedBlob;
  const sweep = blobSweep({
    ...{ isMine: () => true, kinds: [filmKind], blobs: bytes.blobs, store: stage.store },
    clock,
    limits,
    log: () => {},
    now: () => clock.now(),
  });
  sweep.start();
  await clock.advance(26 * HOUR_MS);
  sweep.stop();
  const left = await bytes.blobs.list({ after: null, before: clock.now(), limit: 9 });
  assert.equal(left, [sealed.id], `the row keeps its blob, and ${orphan.id} is swept`);
  const read = async (film: string, from: number, to: number): Promise<Buffer> =>
    pieces.gather(await readClip(bytes, film, sealed, { from, to }));
  assert.is(sealed.bytes, clip.length);
  assert.ok((await read(FILM, 0, clip.length)).equals(clip));
  assert.ok((await read(FILM, 700_001, 700_010)).equals(clip.subarray(700_001, 700_010)));
  assert.instance(await failureOf(read(FILM, clip.length + 1, clip.length + 1)), BlobRangeError);
  for (const film of ['film:account_2/film_1', 'film:account_1/film_2']) {
    assert.instance(await failureOf(read(film, 0, 1)), SealBroken);
  }
  await stages.close();
});

it('while its keys are out of reach an activity stores nothing', async () => {
  const parts = { clock: new HandClock(), random: systemRandom };
  const blobs = new MemoryBlobs({ ...parts, bytesMax: 1_000 });
  const keys = new MemoryKeyStore(parts);
  keys.cut = true;
  const handler = renderer({ blobs, keys }, systemRandom, () => pieces.of(pieces.random(100)));
  const job = { address: FILM, id: 'clip', name: 'render', input: null, key: 'k', attempt: 1, deadlineAt: 1 };
  const failure = await failureOf(handler.run(job, new AbortController().signal));
  assert.instance(failure, KeyStoreUnreachable);
  assert.equal(await blobs.list({ after: null, before: 1e13, limit: 9 }), []);
});

test.run();
