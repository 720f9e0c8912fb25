import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Mail } from '../../../../../actors/runtime/actor/cascade/mailbox.ts';
import { Mailbox } from '../../../../../actors/runtime/actor/cascade/mailbox.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const BOUNDS = { laneSystemMax: 2, laneFinishMax: 3, laneStartMax: 2 };

const mail = (type: string): Mail => ({
  event: { type },
  deadline: 0,
  trace: undefined,
  answer: null,
  firing: null,
  systemMessage: null,
  since: 0,
  next: null,
  fetched: null,
});

const drain = (box: Mailbox): string[] => {
  const types: string[] = [];
  for (let next = box.take(); next !== null; next = box.take()) types.push(next.event.type);
  return types;
};

it('serves system before finish before start, each lane in order', () => {
  const box = new Mailbox();
  box.offer('start', mail('a1'), BOUNDS);
  box.offer('finish', mail('f1'), BOUNDS);
  box.offer('start', mail('a2'), BOUNDS);
  box.offer('system', mail('s1'), BOUNDS);
  box.offer('finish', mail('f2'), BOUNDS);
  box.offer('system', mail('s2'), BOUNDS);
  assert.equal(box.sizes, { system: 2, finish: 2, start: 2 });
  const events = (max: number) => box.first(max).map(({ lane, mail: one }) => `${lane} ${one.event.type}`);
  assert.equal(events(4), ['system s1', 'system s2', 'finish f1', 'finish f2']);
  assert.equal(events(20).slice(4), ['start a1', 'start a2']);
  assert.equal(drain(box), ['s1', 's2', 'f1', 'f2', 'a1', 'a2']);
  assert.is(box.size, 0);
  assert.equal(events(20), []);
});

it('serves deferred inputs before all later messages, in order and within the bound', () => {
  const box = new Mailbox();
  box.offer('system', mail('s1'), BOUNDS);
  assert.ok(box.offer('deferred', mail('k1'), BOUNDS));
  box.offer('start', mail('a1'), BOUNDS);
  assert.ok(box.offer('deferred', mail('k2'), BOUNDS));
  assert.not.ok(box.offer('deferred', mail('k3'), BOUNDS));
  assert.equal([box.size, box.sizes], [4, { system: 3, finish: 0, start: 1 }]);
  assert.equal(drain(box), ['k1', 'k2', 's1', 'a1']);
  assert.is(box.size, 0);
});

it('refuses messages beyond the bound of each lane, and accepts one again after one was served', () => {
  const box = new Mailbox();
  for (const [lane, max] of [
    ['start', 2],
    ['finish', 3],
    ['system', 2],
  ] as const) {
    for (let i = 0; i < max; i++) assert.ok(box.offer(lane, mail(lane), BOUNDS));
    assert.not(box.offer(lane, mail('late'), BOUNDS));
  }
  assert.is(box.take()?.event.type, 'system');
  assert.ok(box.offer('system', mail('again'), BOUNDS));
  assert.equal(drain(box), ['system', 'again', 'finish', 'finish', 'finish', 'start', 'start']);
});

test.run();
