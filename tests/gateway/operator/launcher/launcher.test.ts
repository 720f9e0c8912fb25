import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../../../cluster.config.ts';
import { stopMs } from '../../../../gateway/operator/launcher/launcher.ts';

test('nodes that drain are killed only after the graces of turns and of activities, with time to settle', () => {
  const stop = (drainGraceMs: number, graceMs: number): number =>
    stopMs({ edge: { ...defaults.edge, drainGraceMs }, activities: { graceMs } });
  // Reading on takes a second, the settles behind it five.
  assert.is(stop(20_000, 1_000), 26_000);
  assert.is(stop(1_000, 45_000), 51_000);
});

test.run();
