import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { LiveTraffic } from '../../../gateway/overload/live-traffic.ts';
import { Overload } from '../../../gateway/overload/overload.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

const it = bounded(test);

/** The board of a cluster: what one node publishes, all hear at once. */
class OneBoard {
  readonly published: string[] = [];
  readonly #listeners: (() => void)[] = [];

  publish(_topic: string, key: string): void {
    this.published.push(key);
    for (const changed of this.#listeners) changed();
  }

  onChange(_topic: string, changed: () => void): () => void {
    this.#listeners.push(changed);
    return () => {};
  }
}

it('all nodes know for a while that one of them receives live requests, at a few notices each', async () => {
  const loop = new LoopModel();
  const board = new OneBoard();
  const [one, other] = [new LiveTraffic(loop, config.overload), new LiveTraffic(loop, config.overload)];
  one.shareOver(board, 'n1');
  other.shareOver(board, 'n2');
  assert.equal([one.isPresent, other.isPresent], [false, false]);
  const { liveMs } = config.overload;
  for (let at = 0; at < liveMs * 5; at += 10) loop.after(at, () => one.note());
  await loop.run(liveMs * 5);
  assert.equal([one.isPresent, other.isPresent], [true, true]);
  assert.is(board.published.length, 20);
  loop.spend(liveMs);
  assert.equal([one.isPresent, other.isPresent], [false, false]);
});

it('turns are live requests, reads are none', () => {
  const overload = new Overload(new LoopModel(), config.overload);
  overload.enter('catalogue', 'a');
  assert.is(overload.live.isPresent, false);
  overload.enter('live', 'a');
  assert.is(overload.live.isPresent, true);
});

test.run();
