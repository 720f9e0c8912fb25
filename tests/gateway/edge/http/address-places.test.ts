import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AddressPlaces } from '../../../../gateway/edge/http/address-places.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('gives each address its places, and reuses a released place', () => {
  const places = new AddressPlaces(2);
  assert.equal(
    ['a', 'a', 'a', 'b'].map((address) => places.take(address)),
    [true, true, false, true],
  );
  places.leave('a');
  assert.ok(places.take('a'));
  assert.not.ok(places.take('a'));
});

it('drops an address without a connection, however many there were', () => {
  const places = new AddressPlaces(1);
  for (let i = 0; i < 10_000; i++) {
    const address = `v4-10.0.${i >> 8}.${i & 255}`;
    assert.ok(places.take(address));
    places.leave(address);
  }
  assert.is(places.addresses, 0);
  places.leave('never seen');
  assert.is(places.addresses, 0);
});

test.run();
