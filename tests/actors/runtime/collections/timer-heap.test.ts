import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Due, TimerHeap } from '../../../../actors/runtime/collections/timer-heap.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('returns the soonest item first under any sequence of additions, moves and removals', () => {
  const heap = new TimerHeap<Due>();
  let seed = 11;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const live = new Set<Due>();
  for (let round = 0; round < 5_000; round++) {
    const known = [...live];
    const choice = next(4);
    if (choice < 2 || known.length === 0) {
      const item = { armedAt: next(1_000), heapIndex: -1 };
      heap.add(item);
      live.add(item);
    } else if (choice === 2) {
      const item = known[next(known.length)] as Due;
      heap.remove(item);
      heap.remove(item);
      live.delete(item);
    } else {
      const item = known[next(known.length)] as Due;
      heap.remove(item);
      item.armedAt = next(1_000);
      heap.add(item);
    }
    assert.is(heap.size, live.size);
    if (round % 50 === 0 && live.size > 0) {
      assert.is(heap.first?.armedAt, Math.min(...[...live].map((item) => item.armedAt)));
    }
  }
  let last = -1;
  for (let item = heap.first; item !== undefined; item = heap.first) {
    assert.ok(item.armedAt >= last);
    last = item.armedAt;
    heap.remove(item);
  }
});

test.run();
