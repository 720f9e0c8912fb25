import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HolderPlaces } from '../../../gateway/overload/holder-places.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('gives each holder its places, and reuses a released place', () => {
  const places = new HolderPlaces(2);
  assert.equal(
    ['a', 'a', 'a', 'b'].map((address) => places.take(address)),
    [true, true, false, true],
  );
  places.leave('a');
  assert.ok(places.take('a'));
  assert.not.ok(places.take('a'));
});

it('drops a holder without a place, however many there were', () => {
  const places = new HolderPlaces(1);
  for (let i = 0; i < 10_000; i++) {
    const address = `v4-10.0.${i >> 8}.${i & 255}`;
    assert.ok(places.take(address));
    places.leave(address);
  }
  assert.is(places.holders, 0);
  places.leave('never seen');
  assert.is(places.holders, 0);
});

test.run();
