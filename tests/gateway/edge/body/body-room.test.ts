import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyRoom } from '../../../../gateway/edge/body/body-room.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const answer = (): ServerResponse => new EventEmitter() as unknown as ServerResponse;

it('room is held until the answer ends', () => {
  const room = new BodyRoom(100);
  const first = answer();
  assert.is(room.take(60, first), true);
  assert.is(room.take(60, answer()), false);
  assert.is(room.take(40, answer()), true);
  first.emit('close');
  assert.is(room.take(60, answer()), true);
  assert.is(room.take(1, answer()), false);
});

test.run();
