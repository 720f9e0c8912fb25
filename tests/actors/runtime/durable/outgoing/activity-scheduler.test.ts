import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import {
  ActivityScheduler,
  RUNNING_MAX,
  type Scheduled,
} from '../../../../../actors/runtime/durable/outgoing/activity-scheduler.ts';
import type { ActivityHandler } from '../../../../../actors/runtime/ports/activity.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

interface Piece extends Scheduled {
  readonly id: string;
}

const handler = (runningMax: number, runningPerGroupMax: number): ActivityHandler => ({
  ...{ runningMax, runningPerGroupMax },
  run: async () => null,
});
const piece = (group: string, id: string, more: Partial<Scheduled> = {}): Piece => ({
  ...{ name: 'post', group, id, suspect: false },
  ...more,
});
const made = (...bounds: [number, number]) => new ActivityScheduler<Piece>({ post: handler(...bounds) });

/** Takes all attempts that may begin. */
function taken(scheduler: ActivityScheduler<Piece>): Piece[] {
  const all: Piece[] = [];
  for (let next = scheduler.next(); next !== null; next = scheduler.next()) all.push(next);
  return all;
}
const ids = (pieces: readonly Piece[]): string[] => pieces.map(({ id }) => id);

it('begins attempts while their activity and group have room, and the others when room becomes free', () => {
  const scheduler = made(3, 2);
  for (const id of ['a1', 'a2', 'a3']) scheduler.add(piece('a', id));
  const first = taken(scheduler);
  assert.equal(ids(first), ['a1', 'a2'], 'the share of a group');
  for (const id of ['b1', 'b2']) scheduler.add(piece('b', id));
  const [b1] = taken(scheduler);
  assert.equal(b1?.id, 'b1');
  assert.is(scheduler.next(), null, 'the bound of the activity');
  scheduler.ended(first[0] as Piece);
  assert.equal(ids(taken(scheduler)), ['a3']);
  scheduler.ended(b1 as Piece);
  assert.equal(ids(taken(scheduler)), ['b2']);
});

it('of a full activity no waiting group is looked at', () => {
  const scheduler = made(1, 1);
  let looks = 0;
  for (let i = 0; i < 1_000; i++) {
    const watched = piece(`g${i}`, `p${i}`);
    scheduler.add(
      new Proxy(watched, {
        get(held, name, receiver) {
          if (name === 'group') looks++;
          return Reflect.get(held, name, receiver);
        },
      }),
    );
  }
  const first = scheduler.next() as Piece;
  looks = 0;
  assert.is(scheduler.next(), null);
  assert.is(looks, 0);
  scheduler.ended(first);
  assert.is((scheduler.next() as Piece).id, 'p1');
});

it('groups take turns, first come first served within each, regardless of queue length', () => {
  const scheduler = made(1, 1);
  for (let i = 0; i < 1_000; i++) scheduler.add(piece('crowd', `crowd${i}`));
  for (const id of ['x1', 'x2', 'x3']) scheduler.add(piece('x', id));
  scheduler.add(piece('y', 'y1'));
  const order: string[] = [];
  for (let i = 0; i < 8; i++) {
    const next = scheduler.next() as Piece;
    order.push(next.id);
    scheduler.ended(next);
  }
  assert.equal(order, ['crowd0', 'x1', 'y1', 'crowd1', 'x2', 'crowd2', 'x3', 'crowd3']);
});

it('activities take turns at the total bound', () => {
  const scheduler = new ActivityScheduler<Piece>({
    post: handler(10_000, 10_000),
    render: handler(10_000, 10_000),
  });
  for (let i = 0; i < RUNNING_MAX + 100; i++) scheduler.add(piece('a', `post${i}`));
  const running = taken(scheduler);
  assert.is(running.length, RUNNING_MAX);
  for (let i = 0; i < 10; i++) scheduler.add(piece('b', `render${i}`, { name: 'render' }));
  const next: string[] = [];
  for (const piece of running.slice(0, 4)) {
    scheduler.ended(piece);
    next.push(...taken(scheduler).map(({ name }) => name));
  }
  assert.equal(next.sort(), ['post', 'post', 'render', 'render']);
});

it('runs one suspect at a time beside the others, groups of suspects in turn, within the bounds of all', () => {
  const scheduler = made(3, 2);
  const suspects = ['a1', 'a2', 'b1'].map((id) => piece(id.charAt(0), id, { suspect: true }));
  for (const suspect of suspects) scheduler.add(suspect);
  for (const id of ['a3', 'a4', 'b2']) scheduler.add(piece(id.charAt(0), id));
  assert.equal(ids(taken(scheduler)), ['a1', 'a3', 'b2'], 'a suspect counts in the share of its group');
  scheduler.ended(suspects[0] as Piece);
  assert.equal(ids(taken(scheduler)), ['b1']);
  scheduler.ended(suspects[2] as Piece);
  assert.equal(ids(taken(scheduler)), ['a2']);
});

it('a suspect without room does not delay other suspects', () => {
  const scheduler = made(2, 1);
  scheduler.add(piece('a', 'a1'));
  const [a1] = taken(scheduler);
  scheduler.add(piece('a', 'a2', { suspect: true }));
  scheduler.add(piece('b', 'b1', { suspect: true }));
  assert.equal(ids(taken(scheduler)), ['b1']);
  scheduler.ended(a1 as Piece);
  assert.is(scheduler.next(), null, 'one suspect at a time');
});

it('a removed attempt does not begin, and its empty group is removed', () => {
  const scheduler = made(1, 1);
  const gone = [piece('a', 'a1'), piece('b', 'b1', { suspect: true })];
  for (const one of gone) scheduler.add(one);
  for (const one of gone) scheduler.remove(one);
  for (const one of gone) scheduler.remove(one);
  scheduler.add(piece('c', 'c1'));
  assert.equal(ids(taken(scheduler)), ['c1']);
});

it('groups by account, or by the target that the handler names, even if the input is malformed', () => {
  const hostOf = (_: string, input: Json): string => new URL((input as { url: string }).url).host;
  const scheduler = new ActivityScheduler<Piece>({
    batch: handler(1, 1),
    post: { ...handler(1, 1), groupOf: hostOf },
  });
  assert.is(scheduler.groupOf('batch', 'batch:acct_1/b1', null), 'acct_1');
  assert.is(scheduler.groupOf('post', 'webhook:acct_1/w1', { url: 'https://example.com/hook' }), 'example.com');
  assert.is(scheduler.groupOf('post', 'webhook:acct_1/w1', { url: 'nowhere' }), 'acct_1');
  assert.is(scheduler.groupOf('unknown', 'batch:acct_2', null), 'acct_2');
});

it('refuses invalid bounds', () => {
  for (const [runningMax, perGroup] of [
    [0, 0],
    [1.5, 1],
    [2, 3],
    [Number.POSITIVE_INFINITY, 1],
  ] as const) {
    assert.throws(() => made(runningMax, perGroup), /activity post: runningMax/);
  }
});

test.run();
