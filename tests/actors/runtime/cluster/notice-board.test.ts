import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BoardExchange } from '../../../../actors/runtime/cluster/board-exchange.ts';
import { NoticeBoard } from '../../../../actors/runtime/cluster/notice-board.ts';
import { parseSignal, type Signal } from '../../../../actors/runtime/cluster/signal.ts';
import type { Publication } from '../../../../actors/runtime/durable/engine.ts';
import type { Json } from '../../../../actors/runtime/index.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const item = (key: string, value: Json, epoch: number, version: number, topic = 't'): Publication => ({
  ...{ topic, key, value, address: 'endpoint:x', epoch, version },
});
const board = (): NoticeBoard => new NoticeBoard(() => {});

it('the newer value wins by epoch, then by version; an older one changes nothing', () => {
  const b = board();
  b.apply([item('k', 1, 2, 5)]);
  b.apply([item('k', 2, 1, 9)]);
  b.apply([item('k', 3, 2, 4)]);
  assert.equal([...b.topic('t')], [['k', 1]]);
  b.apply([item('k', 4, 2, 6)]);
  b.apply([item('k', 5, 3, 1)]);
  assert.equal([...b.topic('t')], [['k', 5]]);
});

it('a removed key stays removed against an older value', () => {
  const b = board();
  b.apply([item('k', 1, 1, 1), item('k', null, 1, 2)]);
  b.apply([item('k', 1, 1, 1)]);
  assert.is(b.topic('t').size, 0);
  b.apply([item('k', 7, 1, 3)]);
  assert.is(b.topic('t').get('k'), 7);
});

it('a topic is the same object until a value changes, and listeners are called once per change', () => {
  const b = board();
  let heard = 0;
  const stop = b.onChange('t', () => {
    heard += 1;
  });
  b.apply([item('a', 1, 1, 1), item('b', 2, 1, 1), item('z', 1, 1, 1, 'other')]);
  const view = b.topic('t');
  assert.is(b.topic('t'), view);
  assert.is(heard, 1);
  b.apply([item('a', 0, 0, 1)]);
  b.apply([item('z', 2, 1, 2, 'other')]);
  assert.is(b.topic('t'), view);
  b.apply([item('a', 3, 1, 2)]);
  assert.is.not(b.topic('t'), view);
  assert.is(view.get('a'), 1);
  stop();
  b.apply([item('a', 4, 1, 3)]);
  assert.is(heard, 2);
});

it('a listener that throws does not affect the others', () => {
  const logged: unknown[] = [];
  const b = new NoticeBoard((record) => logged.push(record));
  let heard = false;
  b.onChange('t', () => {
    throw new Error('oops');
  });
  b.onChange('t', () => {
    heard = true;
  });
  b.apply([item('a', 1, 1, 1)]);
  assert.ok(heard);
  assert.is(logged.length, 1);
});

it('two boards that meet converge, and each sends only what the other lacks', () => {
  const sent: { readonly to: string; readonly signal: Signal }[] = [];
  const side = (name: string): { board: NoticeBoard; exchange: BoardExchange } => {
    const own = board();
    const exchange = new BoardExchange({
      ...{ self: name, now: () => 0 },
      board: own,
      clock: systemClock,
      broadcast: () => {},
      send: (to, signal) => sent.push({ to: `${name}>${to}`, signal }) > 0,
    });
    return { board: own, exchange };
  };
  const [a, b] = [side('a'), side('b')];
  for (let i = 0; i < 5_000; i++) (i % 2 ? a : b).board.apply([item(`k${i}`, { i, pad: 'x'.repeat(100) }, 1, 1)]);
  a.board.apply([item('both', 'new', 2, 1), item('same', 1, 1, 1), item('gone', null, 2, 1)]);
  b.board.apply([item('both', 'old', 1, 9), item('same', 1, 1, 1), item('gone', 1, 1, 1)]);
  const meet = (from: typeof a, name: string, to: typeof a, other: string): void => {
    // The callee announces its values on the caller's link; the caller answers over the same ordered pair.
    const heard: string[] = [];
    const link = {
      peer: '',
      send: () => 'queued' as const,
      control: (text: string) => heard.push(text) > 0,
      close() {},
    };
    to.exchange.greeted({ incarnation: name, link });
    for (const text of heard) {
      const signal = parseSignal(text);
      if (signal?.type === 'board.digest') from.exchange.compare(other, signal.entries, signal.last);
    }
  };
  meet(a, 'a', b, 'b');
  meet(b, 'b', a, 'a');
  const items = (way: string): readonly Publication[] =>
    sent.flatMap(({ to, signal }) => (to === way && signal.type === 'board.items' ? signal.items : []));
  assert.is(items('a>b').length, 2_502);
  assert.is(items('b>a').length, 2_500);
  assert.ok(sent.filter(({ signal }) => signal.type === 'board.items').length > 4, 'cut into moderate signals');
  assert.is(sent.filter(({ signal }) => signal.type === 'board.synced').length, 2);
  b.board.apply(items('a>b'));
  a.board.apply(items('b>a'));
  const sorted = (own: NoticeBoard): unknown => [...own.topic('t')].sort(([x], [y]) => (x < y ? -1 : 1));
  assert.equal(sorted(a.board), sorted(b.board));
  assert.is(b.board.topic('t').get('both'), 'new');
  assert.is(b.board.topic('t').has('gone'), false);
});

const byNode = (key: string, value: Json, epoch: number, version: number, address: string): Publication => ({
  ...{ topic: 'n', key, value, address, epoch, version },
});

it('the newest value of a node wins on every board, whatever the order of arrival', () => {
  const items = [
    byNode('k', 'old', 10, 9, 'n1'),
    byNode('k', 'new', 11, 1, 'n2'),
    byNode('tie', 'loses', 10, 4, 'n1'),
    byNode('tie', 'wins', 10, 4, 'n2'),
  ];
  for (const order of [items, [...items].reverse()]) {
    const b = board();
    for (const each of order) b.apply([each]);
    assert.equal([b.read('n', 'k'), b.read('n', 'tie'), b.read('n', 'none')], ['new', 'wins', null]);
  }
});

it('a topic of nodes keeps its newest 50,000 keys', () => {
  const logged: unknown[] = [];
  const b = new NoticeBoard((record) => logged.push(record));
  for (let n = 1; n <= 50_000; n++) b.apply([byNode(`k${n}`, n, n, n, 'n1')]);
  b.apply([byNode('k1', 'again', 50_001, 50_001, 'n1'), byNode('older', 0, 1, 1, 'n2')]);
  b.apply([byNode('a', 0, 50_002, 50_002, 'n1'), byNode('b', 0, 50_003, 50_003, 'n1')]);
  assert.is(b.topic('n').size, 50_000);
  const kept = ['k1', 'k2', 'k3', 'k4', 'older', 'a', 'b'].map((key) => b.read('n', key));
  assert.equal(kept, ['again', null, null, 4, null, 0, 0]);
  assert.equal(logged, []);
});

it('a node publishes later than every value it has seen, even from a clock that is ahead', () => {
  const sent: Publication[] = [];
  const shared = board();
  const exchange = new BoardExchange({
    ...{ self: 'n1', now: () => 1_000.5, board: shared, send: () => true, clock: { ...systemClock, after: atOnce } },
    broadcast: (signal) => {
      if (signal.type === 'board.items') sent.push(...signal.items);
    },
  });
  shared.apply([byNode('k', 'ahead', 5_000, 7, 'n2')]);
  exchange.publish('n', 'k', 'mine');
  exchange.publish('n', 'other', 'mine');
  assert.equal([exchange.read('n', 'k'), exchange.topic('n').get('other')], ['mine', 'mine']);
  assert.equal(sent, [byNode('k', 'mine', 5_001, 1, 'n1'), byNode('other', 'mine', 1_000, 2, 'n1')]);
});

function atOnce(_delayMs: number, run: () => void): () => void {
  run();
  return () => {};
}

it('values of nodes are compared by publisher, and a peer that lacks some receives just these', () => {
  const [a, b] = [board(), board()];
  const old = Array.from({ length: 1_000 }, (_, n) => byNode(`k${n}`, n, n, n + 1, n % 2 ? 'n1' : 'n2'));
  for (const each of [a, b]) each.apply(old);
  const fresh = [byNode('k3', 'moved', 2_000, 2_000, 'n1'), byNode('new', 1, 2_000, 1, 'n3')];
  a.apply(fresh);
  assert.ok(b.digest().length === 2, 'one entry per publisher');
  assert.equal(a.newerThan(b.digest()), fresh);
  b.apply(a.newerThan(b.digest()));
  assert.equal(a.newerThan(b.digest()), []);
  assert.equal([...a.topic('n')].sort(), [...b.topic('n')].sort());
  assert.is(a.newerThan([]).length, 1_001, 'a node that starts receives everything');
});

it('a topic that fills is logged before its bound and at it, and keeps what it holds', () => {
  const logged: unknown[] = [];
  const b = new NoticeBoard(({ message, topic }) => logged.push(`${message}: ${topic}`));
  b.apply(Array.from({ length: 57_343 }, (_, i) => item(`k${i}`, i, 1, 1)));
  assert.equal(logged, []);
  b.apply([item('k0', 1, 1, 2), item('near', 1, 1, 1)]);
  assert.equal(logged, ['board topic is nearly full: t']);
  b.apply(Array.from({ length: 10_000 }, (_, i) => item(`more${i}`, i, 1, 1)));
  assert.equal(logged, ['board topic is nearly full: t', 'board topic is full: t']);
  b.apply([item('k1', 'changed', 1, 2)]);
  assert.equal([b.topic('t').size, b.read('t', 'k1'), b.read('t', 'more9999')], [65_536, 'changed', null]);
});

test.run();
