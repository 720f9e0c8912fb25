import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Transition, TransitionLog } from '../../../../actors/runtime/actor/transition-log.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

const stepAt = (version: number): Transition => {
  const state = version % 3 === 0 ? 'b "quoted"' : 'a';
  const before = (version - 1) % 3 === 0 ? 'b "quoted"' : 'a';
  return [version, 1_000_000 + version * version, `event.${version % 4}`, before, state];
};

const filled = (from: number, to: number, max = 50): TransitionLog => {
  const transitionLog = new TransitionLog(max);
  for (let version = from; version <= to; version++) transitionLog.add(...stepAt(version));
  return transitionLog;
};

it('returns the added steps in order', () => {
  assert.equal(filled(1, 7).steps(), [1, 2, 3, 4, 5, 6, 7].map(stepAt));
  assert.equal(new TransitionLog(50).steps(), []);
});

it('returns exactly the newest steps, and stores at most a bounded number more', () => {
  for (const last of [49, 50, 51, 60, 61, 499, 500]) {
    const transitionLog = filled(1, last);
    const shown = transitionLog.steps();
    assert.is(shown.length, Math.min(50, last));
    assert.equal(shown.at(-1), stepAt(last));
    assert.equal(shown[0], stepAt(Math.max(1, last - 49)));
    assert.ok((JSON.parse(transitionLog.text(0)) as unknown[]).length <= 60);
  }
});

it('restores from its stored JSON and continues', () => {
  const first = filled(1, 73);
  const second = new TransitionLog(50);
  assert.is(second.restore(first.text(0)), stepAt(73)[1]);
  second.add(...stepAt(74));
  assert.equal(second.steps(), filled(1, 74).steps());
});

it('omits the newest steps that a later write will store', () => {
  for (const ahead of [1, 5, 11, 30]) {
    const back = new TransitionLog(50);
    back.restore(filled(1, 73).text(ahead));
    assert.equal(back.steps().at(-1), stepAt(73 - ahead));
  }
  assert.is(filled(1, 3).text(3), '[]');
});

it('stores a step in full if it does not follow the previous one', () => {
  const transitionLog = filled(1, 3);
  transitionLog.add(9, 5, 'late', 'x', 'y');
  transitionLog.add(10, 6, 'next', 'z', 'z');
  assert.equal(transitionLog.steps().slice(-2), [
    [9, 5, 'late', 'x', 'y'],
    [10, 6, 'next', 'z', 'z'],
  ]);
});

it('needs about twenty bytes for a step that stays in its state', () => {
  const transitionLog = new TransitionLog(50);
  for (let version = 1; version <= 500; version++)
    transitionLog.add(version, 1_700_000_000_000 + version * 12, 'turn.admit', 'active', 'active');
  assert.ok(transitionLog.text(0).length < 60 * 25, `${transitionLog.text(0).length}`);
});

it('starts empty from a text that is not a log', () => {
  for (const text of ['', '{', 'null', '{}']) {
    const transitionLog = new TransitionLog(50);
    assert.is(transitionLog.restore(text), 0);
    assert.equal(transitionLog.steps(), []);
  }
});

it('stores a repeated step as its time alone, and returns it in full', () => {
  const transitionLog = new TransitionLog(50);
  for (let version = 1; version <= 30; version++)
    transitionLog.add(version, 1_000 + version * 7, 'purse.debit', 'open', 'open');
  assert.ok(transitionLog.text(0).length < 30 * 8 + 3 * 40);
  const back = new TransitionLog(50);
  back.restore(transitionLog.text(0));
  back.add(31, 1_300, 'purse.close', 'open', 'closed');
  back.add(32, 1_301, 'purse.close', 'closed', 'closed');
  assert.equal(back.steps().slice(-4), [
    [29, 1_203, 'purse.debit', 'open', 'open'],
    [30, 1_210, 'purse.debit', 'open', 'open'],
    [31, 1_300, 'purse.close', 'open', 'closed'],
    [32, 1_301, 'purse.close', 'closed', 'closed'],
  ]);
});

it('starts empty from a damaged text, whatever JSON the damage forms', () => {
  const damaged = [
    ...['[null]', '["abcde"]', '[[7,1000]]', '[[7,"x","add","open","open"]]', '[["7",1000,"add","open","open"]]'],
    ...['[[7,1000,"add","open",5]]', '[[1,2,3]]', '[[1,"add","open","open"]]', '[{"length":5}]', '[[7,1000,"add"]]x'],
  ];
  for (const text of damaged) {
    const transitionLog = new TransitionLog(50);
    assert.is(transitionLog.restore(text), 0, text);
    assert.equal(transitionLog.steps(), [], text);
  }
});

test.run();
