import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { providerKind } from '../../../actors/provider/provider.ts';
import { bounded } from '../../support/bounded.ts';
import { House } from '../../support/model/house.ts';

const it = bounded(test, 5_000);
const ADDRESS = 'provider:alpha';
const FACTS = {
  id: 'prov_1',
  slug: 'alpha',
  name: 'Alpha',
  website: null,
  privacyPolicyUrl: null,
  termsOfServiceUrl: null,
  statusPageUrl: null,
  headquarters: 'CH',
  datacenters: null,
};
const declare = (house: House, digest: string, facts: object = FACTS) =>
  house.tell(ADDRESS, { type: 'provider.declare', facts, digest } as never);

it('shows a declaration once, and a changed one again', () => {
  const house = new House([providerKind], 1_000);
  const first = declare(house, 'one');
  assert.equal(first.reply, { changed: true });
  assert.equal(first.published, [{ type: 'publish', topic: 'providers', key: 'alpha', value: FACTS }]);
  const same = declare(house, 'one');
  assert.equal(same.reply, { changed: false });
  assert.equal(same.published, []);
  assert.is(same.durable, false);
  assert.equal(declare(house, 'two', { ...FACTS, name: 'Alpha Two' }).reply, { changed: true });
  assert.match(house.explain(ADDRESS)[0] as string, /^Alpha Two is declared since 1970/);
});

it('shows itself again wherever it is activated, without a commit', () => {
  const house = new House([providerKind], 1_000);
  declare(house, 'one');
  const activated = house.tell(ADDRESS, { type: 'actor.activated' });
  assert.is(activated.published.length, 1);
  assert.is(activated.durable, false);
});

it('leaves the board when withdrawn and returns when declared', () => {
  const house = new House([providerKind], 1_000);
  declare(house, 'one');
  assert.is(house.tell(ADDRESS, { type: 'provider.withdraw' }).published[0]?.value, null);
  assert.is(house.state(ADDRESS), 'withdrawn');
  assert.equal(house.tell(ADDRESS, { type: 'provider.withdraw' }).reply, { changed: false });
  assert.is(house.tell(ADDRESS, { type: 'actor.activated' }).published[0]?.value, null);
  assert.equal(declare(house, 'one').reply, { changed: true });
  assert.is(house.state(ADDRESS), 'declared');
});

test.run();
