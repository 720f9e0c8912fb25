import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TextTail } from '../../../gateway/inference/usage-meter.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

const isRunaway = (...parts: readonly string[]): boolean => {
  const tail = new TextTail();
  for (const part of parts) tail.add(part);
  return tail.isRunaway();
};

/** By definition: some period of which the text has three in a row at its end, over 256 characters and more. */
function repeatsItself(text: string): boolean {
  const tail = text.slice(-2_048);
  for (let period = 1; 3 * period <= tail.length; period++) {
    const length = Math.max(256, 3 * period);
    const end = tail.slice(-length);
    if (end.length === length && end.slice(period) === end.slice(0, -period)) return true;
  }
  return false;
}

const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, at) => `w${((at + 1) * (seed + 7919)) % 100_003}`).join(' ');

it('a loop is found whatever its length, however the text arrives (rule C36)', () => {
  const story = words(300, 1);
  for (const unit of ['a', '\n', 'na ', 'I think so. ', words(12, 3), words(60, 5)]) {
    const loop = unit.repeat(Math.ceil(2_048 / unit.length));
    assert.ok(isRunaway(story, loop), unit.slice(0, 20));
    assert.ok(isRunaway(...[...loop].map((letter) => letter)), 'letter by letter');
    assert.ok(isRunaway(`${story}${loop}`.slice(0, -Math.ceil(unit.length / 2))), 'cut within a repeat');
  }
});

it('ordinary ends are none', () => {
  assert.not(isRunaway(words(2_000, 1)));
  assert.not(isRunaway(words(300, 1), '\n'.repeat(60)));
  assert.not(isRunaway('x'.repeat(255)), 'too short to tell');
  assert.not(isRunaway(words(100, 1), words(40, 2), words(40, 2)), 'twice is no loop');
  assert.not(isRunaway('no '.repeat(500), 'I am sorry, I will stop here, because this repeats itself.'));
  const rows = Array.from({ length: 90 }, (_, at) => `| row ${at} | value ${at * at} |\n`).join('');
  assert.not(isRunaway(rows));
});

it('it agrees with the definition for any text of few letters', () => {
  const unit = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(unit, fc.integer({ min: 1, max: 200 }), unit, fc.boolean(), (loop, times, other, last) => {
      const text = last ? other.repeat(9) + loop.repeat(times) : loop.repeat(times) + other;
      assert.is(isRunaway(text), repeatsItself(text));
    }),
    { numRuns: 300 },
  );
});

test.run();
