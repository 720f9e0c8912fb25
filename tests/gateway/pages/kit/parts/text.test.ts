import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesText, countText, durationText, usdText } from '../../../../../gateway/pages/kit/parts/format.ts';
import { browserText, time, usd, usdCell } from '../../../../../gateway/pages/kit/parts/text.ts';

test('an amount is cut, never rounded, and its exact digits stay on the page', () => {
  const cases = [
    ...[
      ['0', '$0.00'],
      ['12.5', '$12.50'],
      ['1234567.891', '$1,234,567.891'],
      ['-3', '-$3.00'],
    ],
    ...[
      ['0.0000419', '$0.000041'],
      ['0.0000009', '< $0.000001'],
      ['-0.0000009', '-< $0.000001'],
    ],
    ...[
      ['0.123456999', '$0.123456'],
      ['99.999999999', '$99.999999'],
    ],
  ] as const;
  for (const [exact, text] of cases) assert.is(usdText(exact as string), text, exact);
  assert.match(String(usd('0.0000009123')), 'title="0.0000009123 USD"');
  assert.match(String(usd(null)), 'No declared price');
});

test('amounts of a column have as many digits behind the point', () => {
  fc.assert(
    fc.property(fc.bigInt(1_000_000n, 10n ** 15n), fc.nat(12), (digits, places) => {
      const text = String(digits);
      const exact =
        places === 0 ? text : `${text.slice(0, -places) || '0'}.${text.slice(-places).padStart(places, '0')}`;
      const shown = />([^<]+)</.exec(String(usdCell(exact)))?.[1] as string;
      if (shown.startsWith('&lt;')) return;
      assert.match(shown, /^\$[\d,]+\.\d{6}$/);
      assert.ok(
        `${exact}${exact.includes('.') ? '' : '.'}000000`.startsWith(shown.replace(/[$,]/g, '')),
        `${exact} ${shown}`,
      );
    }),
    { numRuns: 200 },
  );
});

test('counts, sizes and durations read as people write them', () => {
  assert.is(countText(1_234_567), '1,234,567');
  assert.equal([0, 1_023, 1_024, 3_565_158, 20 * 1_024 ** 3].map(bytesText), [
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '3.4 MiB',
    '20.0 GiB',
  ]);
  assert.equal([3.4, 999, 1_000, 59_900, 250_400].map(durationText), [
    '3 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '4 min 10 s',
  ]);
});

test('a time has its seconds, and its milliseconds in the title', () => {
  const shown = String(time(Date.UTC(2026, 10, 24, 11, 40, 20, 7)));
  assert.is(shown.replaceAll(/<[^>]*>/g, ''), '2026-11-24 11:40:20');
  assert.match(shown, 'title="2026-11-24T11:40:20.007Z"');
});

test('a browser is told as a person would', () => {
  assert.is(
    browserText('Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/143.0 Chrome/143 Safari/537.36'),
    'Chrome on Linux',
  );
  assert.is(browserText('Mozilla/5.0 (Windows NT 10.0) Chrome/1 Safari/1 Edg/1'), 'Edge on Windows');
  assert.is(browserText(''), 'unknown');
  assert.is(browserText('my-script/1.0'), 'my-script/1.0');
});

test.run();
