import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { Overload, WorkPlace } from '../../../gateway/overload/overload.ts';
import { StreamShares } from '../../../gateway/overload/stream-shares.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

const it = bounded(test);

const BYTES = 16 * 1024;
/** Milliseconds that the node works on one piece. */
const PIECE_MS = 0.5;
const { streamTurnBytes, streamDelayMs } = config.overload;

class Scene {
  readonly loop = new LoopModel();
  readonly overload = new Overload(this.loop, config.overload);
  readonly taken: string[] = [];

  /** A piece of a stream that has arrived; `next` runs once the node has worked on it. True if it was taken at once. */
  piece(account: string, bytes = BYTES, next: () => void = () => {}): boolean {
    const share = this.overload.streams.take(account, bytes);
    const work = (): void => {
      this.loop.spend(PIECE_MS);
      this.taken.push(account);
      next();
    };
    if (share === null) work();
    else share.then(work);
    return share === null;
  }

  /** Streams whose next piece has always arrived. */
  streams(account: string, count: number, pieces = 1_000): void {
    const next = (left: number): void => {
      if (left > 0) this.piece(account, BYTES, () => this.loop.after(0, () => next(left - 1)));
    };
    for (let nth = 0; nth < count; nth++) next(pieces);
  }

  enters(account: string): boolean {
    const place = this.overload.enter('live', account);
    if (place instanceof WorkPlace) place.leave();
    return place !== null;
  }
}

it('streams within the bytes of one turn wait for nothing', () => {
  const scene = new Scene();
  assert.ok(scene.piece('a'));
  assert.ok(scene.piece('b'));
});

it('pieces that arrive together take several turns of the event loop, each with its share', async () => {
  const scene = new Scene();
  for (let nth = 0; nth < 64; nth++) scene.piece('a');
  const share = scene.taken.length;
  assert.ok(share >= 3 && share <= 4, `${share} at once`);
  for (let turn = 2; turn <= 8; turn++) {
    await scene.loop.step();
    assert.is(scene.taken.length, share * turn);
  }
  await scene.loop.run(1_000);
  assert.is(scene.taken.length, 64);
});

it('accounts are served in turn', async () => {
  const scene = new Scene();
  for (let nth = 0; nth < 40; nth++) scene.piece('a');
  const before = scene.taken.length;
  scene.piece('b', 100);
  await scene.loop.step();
  assert.ok(scene.taken.slice(before, before + 2).includes('b'), scene.taken.join(''));
});

it('a piece larger than the share of a turn ends that turn, and the next one has its whole share', async () => {
  const shares = new StreamShares(new LoopModel(), config.overload);
  assert.is(shares.take('a', 10 * streamTurnBytes), null);
  assert.ok(shares.take('a', 1) instanceof Promise);
  const scene = new Scene();
  assert.ok(scene.piece('a', 10 * streamTurnBytes));
  await scene.loop.step();
  assert.ok(scene.piece('a'));
});

it('many short pieces use a turn up as well', () => {
  const scene = new Scene();
  let atOnce = 0;
  while (scene.piece('a', 1)) atOnce++;
  assert.ok(atOnce >= 8 && atOnce <= 32, `${atOnce} at once`);
});

it('an account whose streams wait for too long begins no further turn until they wait less; others do', async () => {
  const scene = new Scene();
  const count = (3 * streamDelayMs) / PIECE_MS;
  scene.streams('a', count, 2);
  scene.streams('b', 1);
  assert.ok(scene.enters('a'), 'nothing has waited yet');
  await scene.loop.run(2 * streamDelayMs);
  assert.not.ok(scene.overload.mayDispatch('live', 'a'));
  assert.not.ok(scene.enters('a'));
  assert.ok(scene.overload.mayDispatch('catalogue', 'a'), 'its reads are no streams');
  assert.ok(scene.enters('b'), 'its stream waits for one turn of a at most');
  assert.ok(scene.enters('c'));
  await scene.loop.run(20 * streamDelayMs);
  assert.ok(scene.enters('a'));
  assert.is(scene.overload.gauges.streamsWaiting, 0);
});

it('a turn that waits for a place is refused if its account becomes late meanwhile', async () => {
  const scene = new Scene();
  const places: unknown[] = [];
  for (let nth = 0; scene.overload.gauges.waiting === 0 && nth < 10_000; nth++)
    places.push(scene.overload.enter('live', 'a'));
  const waiting = places.at(-1) as Promise<unknown>;
  scene.streams('a', (3 * streamDelayMs) / PIECE_MS, 2);
  await scene.loop.run(2 * streamDelayMs);
  for (const place of places) if (place instanceof WorkPlace) place.leave();
  assert.is(await waiting, null);
  assert.is(scene.overload.gauges.waiting, 0);
});

test.run();
