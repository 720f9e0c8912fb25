import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutSlowReader } from '../../../../gateway/edge/http/cut-slow-reader.ts';
import { bounded } from '../../../support/bounded.ts';
import { ManualClock } from '../../outbound/manual-clock.ts';

const it = bounded(test);
const LIMITS = { streamStalledMs: 60_000, bodyBytesPerSecondMin: 1_024 };

function answer(characters: number): { clock: ManualClock; response: EventEmitter & { destroyed: boolean } } {
  const clock = new ManualClock();
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy: () => {
      response.destroyed = true;
    },
  });
  cutSlowReader(response as unknown as ServerResponse, 'x'.repeat(characters), clock, LIMITS);
  return { clock, response };
}

it('a large answer that is not read is cut after the time that the slowest allowed reader needs', () => {
  const { clock, response } = answer(1024 * 1024);
  clock.advance(60_000 + 1_024_000 - 1);
  assert.not.ok(response.destroyed);
  clock.advance(1);
  assert.ok(response.destroyed);
});

it('a large answer that was read leaves no timer behind, and a small one sets none', () => {
  const { clock, response } = answer(1024 * 1024);
  response.emit('close');
  assert.is(clock.armed, 0);
  assert.is(answer(1_000).clock.armed, 0);
});

test.run();
