import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyRoom } from '../../../../gateway/edge/body/body-room.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const answer = (destroyed = false): ServerResponse => Object.assign(new EventEmitter(), { destroyed }) as never;

it('room is held until the answer ends, however many pieces were reserved', () => {
  const room = new BodyRoom(100);
  const first = answer();
  const reserve = room.reservation('a', first);
  assert.is(reserve(20), true);
  assert.is(reserve(20), true);
  assert.is(first.listenerCount('close'), 1);
  assert.is(room.reservation('b', answer())(70), false);
  first.emit('close');
  assert.is(room.reservation('b', answer())(50), true);
  assert.is(room.reservation('c', answer())(51), false);
});

it('one account takes half of the room, and above it a quarter; other accounts take the rest', () => {
  const room = new BodyRoom(100);
  assert.is(room.reservation('a', answer())(50), true);
  assert.is(room.reservation('a', answer())(1), false);
  assert.is(room.reservation('b', answer())(25), true);
  assert.is(room.reservation('b', answer())(1), false);
  assert.is(room.reservation('c', answer())(25), true);
  assert.is(room.reservation('d', answer())(1), false);
});

it('nothing is reserved for a client that has left, since nothing would release it', () => {
  const room = new BodyRoom(100);
  assert.is(room.reservation('a', answer(true))(50), true);
  assert.is(room.reservation('a', answer())(50), true);
});

test.run();
