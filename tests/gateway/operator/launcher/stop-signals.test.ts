import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { waitsLine } from '../../../../gateway/operator/launcher/banner.ts';
import { StopSignals } from '../../../../gateway/operator/launcher/stop-signals.ts';
import { bounded } from '../../../support/bounded.ts';
import { ManualClock } from '../../outbound/manual-clock.ts';

const it = bounded(test);

it('signals within a second are one request to stop; a later one stops at once', () => {
  const clock = new ManualClock();
  const signals = new StopSignals(clock);
  assert.is(signals.received(), 'first');
  clock.advance(1_000);
  assert.is(signals.received(), 'same');
  clock.advance(1);
  assert.equal([signals.received(), signals.received()], ['again', 'again']);
});

it('the line of a draining node names at most three of the actors it waits for, and how long at most', () => {
  assert.is(
    waitsLine({ addresses: ['video-job:a/1'], leftMs: 1_500 }),
    'waits at most 2 s for 1 activity that no other node can continue: video-job:a/1',
  );
  assert.is(
    waitsLine({ addresses: ['a', 'b', 'c', 'd'], leftMs: 60_000 }),
    'waits at most 60 s for 4 activities that no other node can continue: a, b, c ...',
  );
});

test.run();
