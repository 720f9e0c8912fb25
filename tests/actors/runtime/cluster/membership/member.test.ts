import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDED_MAX, Member } from '../../../../../actors/runtime/cluster/membership/member.ts';
import { StoreTime } from '../../../../../actors/runtime/cluster/membership/store-time.ts';
import config from '../../../../../cluster.config.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);

it('remembers a bounded number of ended incarnations; a forgotten one is recorded again at the next answer', async () => {
  const clock = new HandClock();
  const store = new MemoryStore({ clock, shards: 8 });
  await store.register({ name: 'n1', incarnation: 'a', address: '', operatorUrl: '', pid: 1, host: '' });
  const gone: string[] = [];
  const member = new Member({
    incarnation: 'a',
    store,
    clock,
    limits: config.runtime,
    time: new StoreTime(clock),
    log: () => {},
    reaches: () => [],
    linked: () => false,
    changed: () => {},
    gone: (incarnation, why) => gone.push(`${incarnation} ${why}`),
    markedDead: () => {},
    isolated: () => {},
    died: () => {},
  });
  await member.start();
  member.learnDead(
    Array.from({ length: ENDED_MAX }, (_, i) => `x${i}`),
    'killed',
  );
  assert.is(member.isDead('x0'), true);
  member.learnDead(['y'], 'killed');
  assert.is(gone.length, ENDED_MAX + 1);
  assert.equal([member.isDead('x0'), member.isDead('x1'), member.isDead('y')], [false, true, true]);
  await clock.advance(1);
  assert.is(await member.beat(), true);
  assert.equal([member.isDead('x0'), gone.at(-1)], [true, 'x0 forgotten']);
  member.stop();
});

test.run();
