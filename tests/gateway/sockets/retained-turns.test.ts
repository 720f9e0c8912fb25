import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesOf, RetainedTurns } from '../../../gateway/sockets/retained-turns.ts';
import { bounded } from '../../support/bounded.ts';

/** The last turns of a node's sockets, for the turns that continue them. */
const it = bounded(test);
const turn = (id: string) => ({ id, items: [] });

it('a socket has its last turn until it is replaced or dropped', () => {
  const retained = new RetainedTurns();
  const [one, other] = [{}, {}];
  assert.is(retained.of(one), null);
  retained.keep(one, turn('a'), 10);
  retained.keep(other, turn('b'), 20);
  retained.keep(one, turn('c'), 5);
  assert.equal([retained.of(one)?.id, retained.of(other)?.id, retained.bytes], ['c', 'b', 25]);
  retained.drop(one);
  retained.drop(one);
  assert.equal([retained.of(one), retained.bytes], [null, 20]);
});

it('the turns that were kept first are dropped beyond the bounds in number and in bytes (rule I97)', () => {
  const sockets = Array.from({ length: 5 }, () => ({}));
  const few = new RetainedTurns({ turnsMax: 2, bytesMax: 1_000 });
  sockets.forEach((socket, at) => {
    few.keep(socket, turn(String(at)), 1);
  });
  assert.equal(
    sockets.map((socket) => few.of(socket)?.id ?? null),
    [null, null, null, '3', '4'],
  );
  const small = new RetainedTurns({ turnsMax: 100, bytesMax: 100 });
  sockets.forEach((socket, at) => {
    small.keep(socket, turn(String(at)), 40);
  });
  assert.equal(
    [sockets.map((socket) => small.of(socket)?.id ?? null), small.bytes],
    [[null, null, null, '3', '4'], 80],
  );
  // A turn that is used again is the newest.
  small.keep(sockets[3] as object, turn('again'), 40);
  small.keep(sockets[0] as object, turn('0'), 40);
  assert.equal([small.of(sockets[3] as object)?.id, small.of(sockets[4] as object)], ['again', null]);
  small.keep(sockets[0] as object, turn('large'), 101);
  assert.equal([small.of(sockets[0] as object), small.bytes], [null, 40]);
});

it('bytes are those of texts and names and of every value, and are counted no further than the bound', () => {
  assert.is(bytesOf('abc', 1_000), 35);
  assert.is(bytesOf([{ a: 'é' }], 1_000), 32 + 32 + 1 + 34);
  assert.is(bytesOf([null, 1, true], 1_000), 4 * 32);
  assert.is(bytesOf('x'.repeat(100), 100), Number.POSITIVE_INFINITY);
  let read = 0;
  const items = new Proxy(Array(1_000).fill(0), {
    get: (target, name) => {
      read++;
      return Reflect.get(target, name);
    },
  });
  assert.is(bytesOf(items, 320), Number.POSITIVE_INFINITY);
  assert.ok(read < 20, `${read}`);
});

test.run();
