import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MembershipNotices } from '../../../../../actors/runtime/cluster/membership/membership-notices.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);

it('several changes at once give one notice; a watcher that throws is removed, and there is a bound of them', async () => {
  const clock = new HandClock();
  const logged: string[] = [];
  const log = ({ message }: { readonly message: string }) => logged.push(message);
  const notices = new MembershipNotices({ clock, log, limits: { watchersMax: 2 } });
  notices.notify();
  let seen = 0;
  const stop = notices.watch(() => {
    seen++;
  });
  notices.watch(() => {
    throw new Error('gone');
  });
  assert.throws(() => notices.watch(() => {}), /too many watchers/);
  for (let nth = 0; nth < 3; nth++) notices.notify();
  await clock.advance(20);
  assert.is(seen, 1);
  assert.equal(logged, ['a watcher threw and was removed']);
  notices.watch(() => {})();
  notices.notify();
  stop();
  await clock.advance(20);
  assert.is(seen, 1);
});

test.run();
