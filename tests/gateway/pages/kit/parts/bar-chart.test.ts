import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bar, barChart, OTHERS, SERIES_MAX, seriesOf } from '../../../../../gateway/pages/kit/parts/bar-chart.ts';

const heightsOf = (text: string): readonly string[] =>
  [...text.matchAll(/class="series-(\d)"[^/]*height="(\d+)"/g)].map(([, series, height]) => `${series}:${height}`);

function bar(label: string, parts: Readonly<Record<string, string>>): Bar {
  return { label, parts: new Map(Object.entries(parts)) };
}

test('heights are shares of the highest day, stacked from the ground', () => {
  const bars = [bar('a', { x: '0.25', y: '0.75' }), bar('b', { x: '0.5' }), bar('c', {})];
  const text = String(barChart({ title: 'T', bars, series: ['x', 'y'] }));
  assert.equal(heightsOf(text), ['1:250', '2:750', '1:500']);
  assert.match(text, '<title>a: $1.00</title>');
  assert.match(text, '<span class="most">$1.00</span>');
});

test('an amount too small for a pixel is drawn, nothing is drawn for none, and all zero divides by nothing', () => {
  const tiny = '0.000000000000000000000001';
  assert.equal(heightsOf(String(barChart({ title: 'T', bars: [bar('a', { x: '9', y: tiny })], series: ['x', 'y'] }))), [
    '1:999',
    '2:1',
  ]);
  assert.equal(heightsOf(String(barChart({ title: 'T', bars: [bar('a', { x: '0' })], series: ['x'] }))), []);
});

test('the dearest series have a colour, all others share the last one', () => {
  const totals = new Map(Array.from({ length: 9 }, (_, at) => [`m${at}`, String(at)]));
  assert.equal(seriesOf(totals), ['m8', 'm7', 'm6', 'm5', 'm4', OTHERS]);
  assert.is(seriesOf(new Map([...totals].slice(0, SERIES_MAX))).length, SERIES_MAX);
});

test('names of a stranger stay text', () => {
  const text = String(barChart({ title: 'T', bars: [bar('<b>', { '"><script>': '1' })], series: ['"><script>'] }));
  assert.not.match(text, '<script>');
  assert.not.match(text, '<b>');
});

test.run();
