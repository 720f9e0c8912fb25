import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HalfHour } from '../../../../actors/endpoint/history.ts';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { historyCharts, REACHES } from '../../../../gateway/pages/catalogue/history-charts.ts';

const NOW = Date.UTC(2026, 10, 23, 7, 41);
const HALF_HOUR = 30 * 60_000;
const NEWEST = Date.UTC(2026, 10, 23, 7, 30);

const endpoint = (id: string, name: string): Endpoint =>
  ({ id, provider: { id, slug: id, name }, quantization: null }) as unknown as Endpoint;
const ALPHA = endpoint('ep_a', 'Alpha');
const BETA = endpoint('ep_b', '<b>Beta');

const seconds = (p50: number) => ({ p50, p75: p50, p90: p50 * 2, p99: p50 * 3 });
const halfHour = (ago: number, more: Partial<HalfHour> = {}): HalfHour => ({
  ...{
    start: NEWEST - ago * HALF_HOUR,
    success: 10,
    error: 0,
    ttft: seconds(0.4),
    response: seconds(3),
    throughput: null,
  },
  ...more,
});

const drawn = (rows: Readonly<Record<string, readonly HalfHour[]>>, days: 1 | 7 = 1): string =>
  String(
    historyCharts({
      endpoints: [ALPHA, BETA],
      histories: new Map(Object.entries(rows)),
      now: NOW,
      reach: REACHES.find((reach) => reach.days === days) ?? REACHES[0],
    }),
  );
const tones = (text: string): readonly string[] =>
  [...text.matchAll(/class="cell (\w+)" x=/g)].map(([, tone]) => tone as string);

test('each endpoint has its course on one scale, its newest figures and words for those who hear the page', () => {
  const text = drawn({ ep_a: [halfHour(1, { ttft: seconds(0.7) }), halfHour(0)], ep_b: [] });
  assert.match(text, 'aria-label="Alpha: newest 400 ms, nine of ten 800 ms; 20 of 20 requests succeeded"');
  assert.match(text, 'aria-label="&lt;b&gt;Beta: newest too few samples; 0 of 0 requests succeeded"');
  assert.match(text, '>1.5 s</span>', 'the scale ends at the next round figure above 1.4 s');
  assert.match(text, 'Seconds to the first token');
  assert.match(text, /class="line" d="M958\.3 53\.3L979\.2 53\.3L979\.2 73\.3L1000 73\.3"/);
  assert.not.match(text, '<b>Beta');
});

test('a cell tells what became of the requests of its half hour, by the shares that judge health', () => {
  const text = drawn({
    ep_a: [halfHour(3), halfHour(2, { success: 7, error: 3 }), halfHour(1, { success: 5, error: 5 }), halfHour(0)],
    ep_b: [],
  });
  assert.equal(tones(text).slice(0, 48), [...Array(44).fill('none'), 'good', 'warn', 'bad', 'good']);
  assert.match(text, '<title>23 Nov 06:30: 7 of 10 requests succeeded</title>');
  assert.match(text, '<title>22 Nov 08:00: no requests</title>');
});

test('seven days have cells of four hours, and older half hours are left out', () => {
  const rows = { ep_a: [halfHour(400), halfHour(8, { error: 10 }), halfHour(0)], ep_b: [] };
  const week = drawn(rows, 7);
  assert.is(tones(week).length, 2 * 42);
  assert.match(week, '10 of 20 requests succeeded');
  assert.match(week, 'aria-label="Alpha: newest 400 ms, nine of ten 800 ms; 20 of 30 requests succeeded"');
});

test('a model that never streams shows whole requests', () => {
  const text = drawn({ ep_a: [halfHour(0, { ttft: null })], ep_b: [] });
  assert.match(text, 'Seconds of the whole request');
  assert.match(text, 'newest 3.0 s');
});

test('the same figures stand in a table', () => {
  const text = drawn({ ep_a: [halfHour(1, { ttft: seconds(0.7), error: 2 }), halfHour(0)], ep_b: [] });
  const cells = [...text.slice(text.indexOf('<tbody>')).matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell);
  assert.equal(cells.slice(0, 7), ['Alpha', '22', '2', '400 ms', '800 ms', '400 ms', '700 ms']);
  assert.equal(cells.slice(8, 15), ['&lt;b&gt;Beta', '0', '0', '–', '–', '–', '–']);
});

test('without requests, and while the store is out of reach, the page says so', () => {
  assert.match(drawn({ ep_a: [halfHour(60)], ep_b: [] }), 'No request in the last 24 hours');
  const unread = historyCharts({ endpoints: [ALPHA], histories: null, now: NOW, reach: REACHES[0] });
  assert.match(String(unread), 'cannot be read at the moment');
});

test.run();
