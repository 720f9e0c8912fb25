import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Span, timeLines } from '../../../../../gateway/pages/kit/parts/time-lines.ts';

const drawn = (spans: readonly Span[], name = 'Alpha'): string =>
  String(
    timeLines({
      ...{ title: 'T', keys: [], from: 0, to: 100, stepMs: 10, top: 4, topText: '4 s', times: ['a', 'b'] },
      lines: [{ name, spans, cells: [{ tone: 'good', text: name }], newest: 'n', words: `${name} in words` }],
    }),
  );
const path = (text: string, name: string): string | undefined =>
  new RegExp(`class="${name}" d="([^"]*)"`).exec(text)?.[1];
const span = (start: number, typical: number, slow = typical): Span => ({ start, typical, slow });

test('a value holds for the whole of its span, on a scale from the ground to the top', () => {
  const text = drawn([span(0, 0, 4), span(10, 2, 3)]);
  assert.is(path(text, 'line'), 'M0 100L100 100L100 50L200 50');
  assert.is(path(text, 'band'), 'M0 0L100 0L100 25L200 25L200 50L100 50L100 100L0 100Z');
});

test('times without a value stay empty', () => {
  assert.is(path(drawn([span(0, 4), span(20, 4)]), 'line'), 'M0 0L100 0M200 0L300 0');
  assert.is(path(drawn([]), 'line'), '');
});

test('what lies outside the time or above the top is cut at the edge', () => {
  assert.is(path(drawn([span(-5, 2), span(95, 9)]), 'line'), 'M0 50L50 50M950 0L1000 0');
});

test('each line is told in words, and a name of a stranger stays text', () => {
  assert.match(drawn([]), 'role="img" aria-label="Alpha in words"');
  assert.match(drawn([]), '<title>Alpha</title>');
  assert.not.match(drawn([], '"><script>'), '<script>');
});

test.run();
