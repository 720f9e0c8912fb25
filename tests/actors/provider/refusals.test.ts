import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { providerKind } from '../../../actors/provider/provider.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';

const it = bounded(test);
const ADDRESS = 'provider:alpha';
const MINUTE_MS = 60_000;

function declared(): PureActors {
  const actors = new PureActors([providerKind], 1_000);
  const facts = { slug: 'alpha', name: 'Alpha' };
  actors.tell(ADDRESS, { type: 'provider.declare', facts, digest: 'one' } as never);
  return actors;
}
const record = (actors: PureActors, minutes: number) =>
  actors.tell(ADDRESS, { type: 'refusals.record', minutes } as never);
const note = (actors: PureActors, text: string) => {
  const refusal = { at: actors.now, endpoint: 'ep_1', generation: 'gen-1', status: 400, code: 'invalid_schema', text };
  return actors.tell(ADDRESS, { type: 'refusals.note', refusal } as never);
};
const texts = (actors: PureActors) => actors.list<{ text: string }>(ADDRESS, 'refusals').map(({ text }) => text);

it('refusals are recorded only on request, and the board tells every node until when', () => {
  const actors = declared();
  assert.is(note(actors, 'before').durable, false);
  assert.equal(texts(actors), []);
  const { reply, published } = record(actors, 15);
  const until = 1_000 + 15 * MINUTE_MS;
  assert.equal(reply, { until });
  assert.equal(published, [{ type: 'publish', topic: 'refusal-recordings', key: 'alpha', value: { until } }]);
  note(actors, 'during');
  assert.equal(texts(actors), ['during']);
  assert.match(actors.explain(ADDRESS).at(-1) as string, /^Its raw refusals are recorded until 1970/);
});

it('the recording ends by itself, at most a day later, and what was recorded stays', () => {
  const actors = declared();
  record(actors, 1e9);
  note(actors, 'one');
  actors.advance(24 * 60 * MINUTE_MS - 1);
  note(actors, 'two');
  actors.advance(1);
  note(actors, 'three');
  assert.equal(texts(actors), ['one', 'two']);
  assert.is(actors.tell(ADDRESS, { type: 'actor.activated' }).published.length, 1, 'only the declaration');
});

it('a new owner publishes a recording again', () => {
  const actors = declared();
  record(actors, 5);
  const topics = actors.tell(ADDRESS, { type: 'actor.activated' }).published.map(({ topic }) => topic);
  assert.equal(topics, ['providers', 'refusal-recordings']);
});

it('the newest 100 are kept, and zero minutes remove them', () => {
  const actors = declared();
  record(actors, 5);
  for (let n = 0; n < 250; n++) note(actors, String(n));
  assert.equal(
    texts(actors)
      .map(Number)
      .sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, n) => 150 + n),
  );
  const { reply, published } = record(actors, 0);
  assert.equal(reply, { until: null });
  assert.is(published[0]?.value, null);
  assert.equal(texts(actors), []);
  assert.is(actors.timers.size, 0);
  note(actors, 'after');
  assert.equal(texts(actors), []);
});

it('a changed or withdrawn declaration keeps the recording', () => {
  const actors = declared();
  record(actors, 5);
  actors.tell(ADDRESS, { type: 'provider.declare', facts: { slug: 'alpha', name: 'Two' }, digest: 'two' } as never);
  note(actors, 'one');
  actors.tell(ADDRESS, { type: 'provider.withdraw' });
  note(actors, 'two');
  assert.equal(texts(actors), ['one', 'two']);
});

test.run();
