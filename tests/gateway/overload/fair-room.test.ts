import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairRoom } from '../../../gateway/overload/fair-room.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('room is given in turn to accounts, and none holds more than half of it', async () => {
  const room = new FairRoom(100);
  const given: string[] = [];
  const taken = new Map<string, () => void>();
  const take = (account: string, name: string, bytes = 25): void =>
    void room.take(account, bytes).then((release) => {
      given.push(name);
      taken.set(name, release);
    });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (const name of ['a1', 'a2', 'a3', 'a4']) take('a', name);
  await turn();
  assert.equal(given, ['a1', 'a2'], 'half of the room');
  for (const name of ['b1', 'b2', 'b3']) take('b', name);
  await turn();
  assert.equal(given, ['a1', 'a2', 'b1', 'b2']);
  taken.get('b1')?.();
  await turn();
  assert.equal(given.slice(4), ['b3'], 'the first account still holds its half');
  taken.get('a1')?.();
  await turn();
  assert.equal(given.slice(5), ['a3']);
  for (const name of ['a2', 'b2', 'b3', 'a3']) taken.get(name)?.();
  await turn();
  taken.get('a4')?.();
  assert.is(room.bytes, 0);
});

it('a wait for room that ends without it gives nothing, and no longer holds up its account', async () => {
  const clock = new HandClock();
  const room = new FairRoom(100);
  const release = await room.take('a', 40);
  const patience = { clock, waitMs: 1_000 };
  let late: (() => void) | null | undefined;
  void room.takeWithin('a', 20, patience).then((given) => {
    late = given;
  });
  let small: (() => void) | null | undefined;
  void room.takeWithin('a', 10, { clock, waitMs: 5_000 }).then((given) => {
    small = given;
  });
  await clock.advance(999);
  assert.equal([late, small], [undefined, undefined], 'first come, first served');
  await clock.advance(1);
  assert.is(late, null);
  assert.type(small, 'function');
  assert.is(clock.armed, 0, 'no timer is left');
  small?.();
  release();
  assert.type(await room.takeWithin('a', 50, patience), 'function');
  assert.is(clock.armed, 0);
});

test.run();
