import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Transition, TransitionLog } from '../../../../../actors/runtime/actor/cascade/transition-log.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

const BY = { epoch: 4, node: 'n1' };

const stepAt = (version: number): Transition => {
  const state = version % 3 === 0 ? 'b "quoted"' : 'a';
  const before = (version - 1) % 3 === 0 ? 'b "quoted"' : 'a';
  return [version, 1_000_000 + version * version, `event.${version % 4}`, before, state, BY.epoch, BY.node];
};

function added(transitionLog: TransitionLog, [version, at, event, from, to]: Transition): void {
  transitionLog.add(version, at, event, from, to);
}

const filled = (from: number, to: number, max = 50): TransitionLog => {
  const transitionLog = new TransitionLog(max, BY);
  for (let version = from; version <= to; version++) added(transitionLog, stepAt(version));
  return transitionLog;
};

it('returns the added steps in order', () => {
  assert.equal(filled(1, 7).steps(), [1, 2, 3, 4, 5, 6, 7].map(stepAt));
  assert.equal(new TransitionLog(50, BY).steps(), []);
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
  const second = new TransitionLog(50, BY);
  assert.is(second.restore(first.text(0)), stepAt(73)[1]);
  added(second, stepAt(74));
  assert.equal(second.steps(), filled(1, 74).steps());
});

it('omits the newest steps that a later write will store', () => {
  for (const ahead of [1, 5, 11, 30]) {
    const back = new TransitionLog(50, BY);
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
    [9, 5, 'late', 'x', 'y', 4, 'n1'],
    [10, 6, 'next', 'z', 'z', 4, 'n1'],
  ]);
});

it('keeps the node and the epoch of each step across a change of the owner', () => {
  const first = filled(1, 13);
  const second = new TransitionLog(50, { epoch: 5, node: 'n2' });
  second.restore(first.text(0));
  second.add(14, 9_000, 'event.2', 'a', 'a');
  second.add(15, 9_001, 'event.2', 'a', 'a');
  const third = new TransitionLog(50, { epoch: 6, node: 'n2' });
  third.restore(second.text(0));
  third.add(16, 9_002, 'event.2', 'a', 'a');
  const by = third.steps().map(([version, , , , , epoch, node]) => [version, epoch, node]);
  assert.equal(
    by.slice(0, 13),
    [...Array(13).keys()].map((at) => [at + 1, 4, 'n1']),
  );
  assert.equal(by.slice(13), [
    [14, 5, 'n2'],
    [15, 5, 'n2'],
    [16, 6, 'n2'],
  ]);
});

it('needs about twenty bytes for a step that stays in its state', () => {
  const transitionLog = new TransitionLog(50, BY);
  for (let version = 1; version <= 500; version++)
    transitionLog.add(version, 1_700_000_000_000 + version * 12, 'turn.admit', 'active', 'active');
  assert.ok(transitionLog.text(0).length < 60 * 25, `${transitionLog.text(0).length}`);
});

it('starts empty from a text that is not a log', () => {
  for (const text of ['', '{', 'null', '{}']) {
    const transitionLog = new TransitionLog(50, BY);
    assert.is(transitionLog.restore(text), 0);
    assert.equal(transitionLog.steps(), []);
  }
});

it('stores a repeated step as its time alone, and returns it in full', () => {
  const transitionLog = new TransitionLog(50, BY);
  for (let version = 1; version <= 30; version++)
    transitionLog.add(version, 1_000 + version * 7, 'purse.debit', 'open', 'open');
  assert.ok(transitionLog.text(0).length < 30 * 8 + 3 * 40);
  const back = new TransitionLog(50, BY);
  back.restore(transitionLog.text(0));
  back.add(31, 1_300, 'purse.close', 'open', 'closed');
  back.add(32, 1_301, 'purse.close', 'closed', 'closed');
  assert.equal(back.steps().slice(-4), [
    [29, 1_203, 'purse.debit', 'open', 'open', 4, 'n1'],
    [30, 1_210, 'purse.debit', 'open', 'open', 4, 'n1'],
    [31, 1_300, 'purse.close', 'open', 'closed', 4, 'n1'],
    [32, 1_301, 'purse.close', 'closed', 'closed', 4, 'n1'],
  ]);
});

it('starts empty from a damaged text, whatever JSON the damage forms', () => {
  const damaged = [
    ...['[null]', '["abcdefg"]', '[[7,1000]]', '[[7,"x","add","open","open",4,"n1"]]', '[{"length":7}]'],
    ...['[["7",1000,"add","open","open",4,"n1"]]', '[[7,1000,"add","open",5,4,"n1"]]', '[[1,2,3]]'],
    ...['[[7,1000,"add","open","open",4]]', '[[7,1000,"add","open","open","4","n1"]]', '[[7,1000,"add"]]x'],
    '[[1,"add","open","open"]]',
  ];
  for (const text of damaged) {
    const transitionLog = new TransitionLog(50, BY);
    assert.is(transitionLog.restore(text), 0, text);
    assert.equal(transitionLog.steps(), [], text);
  }
});

test.run();
