import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { providerKind } from '../../../actors/provider/provider.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';

const it = bounded(test);
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
const declare = (actors: PureActors, digest: string, facts: object = FACTS) =>
  actors.tell(ADDRESS, { type: 'provider.declare', facts, digest } as never);

it('publishes a declaration once, and a changed one again', () => {
  const actors = new PureActors([providerKind], 1_000);
  const first = declare(actors, 'one');
  assert.equal(first.reply, { changed: true });
  assert.equal(first.published, [{ type: 'publish', topic: 'providers', key: 'alpha', value: FACTS }]);
  const same = declare(actors, 'one');
  assert.equal(same.reply, { changed: false });
  assert.equal(same.published, []);
  assert.is(same.durable, false);
  assert.equal(declare(actors, 'two', { ...FACTS, name: 'Alpha Two' }).reply, { changed: true });
  assert.match(actors.explain(ADDRESS)[0] as string, /^Alpha Two is declared since 1970/);
});

it('publishes itself on every activation, without a commit', () => {
  const actors = new PureActors([providerKind], 1_000);
  declare(actors, 'one');
  const activated = actors.tell(ADDRESS, { type: 'actor.activated' });
  assert.is(activated.published.length, 1);
  assert.is(activated.durable, false);
});

it('leaves the board when withdrawn and returns when declared', () => {
  const actors = new PureActors([providerKind], 1_000);
  declare(actors, 'one');
  assert.is(actors.tell(ADDRESS, { type: 'provider.withdraw' }).published[0]?.value, null);
  assert.is(actors.state(ADDRESS), 'withdrawn');
  assert.equal(actors.tell(ADDRESS, { type: 'provider.withdraw' }).reply, { changed: false });
  assert.is(actors.tell(ADDRESS, { type: 'actor.activated' }).published[0]?.value, null);
  assert.equal(declare(actors, 'one').reply, { changed: true });
  assert.is(actors.state(ADDRESS), 'declared');
});

it('reports its models document: a broken one keeps the count of the last usable one and is reported once', () => {
  const actors = new PureActors([providerKind], 1_000);
  const read = (problem: string | null, endpoints: number) =>
    actors.tell(ADDRESS, { type: 'provider.read', problem, endpoints } as never);
  declare(actors, 'one');
  assert.equal(read(null, 3).reply, { changed: true });
  const again = read(null, 3);
  assert.equal(again.reply, { changed: false });
  assert.is(again.durable, false);
  assert.match(
    actors.explain(ADDRESS)[1] as string,
    /^Its models document declares 3 endpoints, as read first at 1970/,
  );
  assert.equal(read('line 4: data[0].id is missing', 0).reply, { changed: true });
  assert.equal(read('line 4: data[0].id is missing', 0).reply, { changed: false });
  assert.match(
    actors.explain(ADDRESS)[1] as string,
    /broken since 1970.* the last good one stays, with 3 endpoints: line 4: data\[0\]\.id is missing$/,
  );
  assert.equal(read('another', 0).published, [], 'it is not published');
  assert.equal(read(null, 2).reply, { changed: true });
  assert.match(actors.explain(ADDRESS)[1] as string, /declares 2 endpoints/);
});

it('operators see a provider whose document was never usable', () => {
  const actors = new PureActors([providerKind], 1_000);
  actors.tell(ADDRESS, { type: 'provider.read', problem: 'line 1: this is no JSON', endpoints: 0 } as never);
  const [first, second] = actors.explain(ADDRESS);
  assert.match(first as string, /^alpha was never declared/);
  assert.match(second as string, /line 1: this is no JSON$/);
});

it('explains that a provider refuses our key, until it accepts one', () => {
  const actors = new PureActors([providerKind], 1_000);
  declare(actors, 'one');
  const explained = (): string => actors.explain(ADDRESS).join(' ');
  actors.tell(ADDRESS, { type: 'key.refused', status: 401 } as never);
  actors.tell(ADDRESS, { type: 'key.refused', status: 403 } as never);
  assert.match(explained(), /It refuses our key with HTTP 403 since 1970-.*, last at 1970-/);
  declare(actors, 'two');
  assert.match(explained(), /refuses our key/);
  actors.tell(ADDRESS, { type: 'key.accepted' });
  assert.not.match(explained(), /refuses our key/);
});

test.run();
