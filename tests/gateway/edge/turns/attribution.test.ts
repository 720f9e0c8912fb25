import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAttribution } from '../../../../gateway/edge/turns/attribution.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I5. */
const it = bounded(test);

it('a vendor title takes precedence over the common one unless it is empty (rule I5)', () => {
  const title = (vendor: string | undefined, common: string | undefined): string | null =>
    readAttribution({
      ...(vendor === undefined ? {} : { 'x-vendor-title': vendor }),
      ...(common === undefined ? {} : { 'x-title': common }),
    }).appTitle;
  assert.is(title('mine', 'common'), 'mine');
  assert.is(title('', 'common'), 'common');
  assert.is(title('  \t', 'common'), 'common');
  assert.is(title(undefined, ' common '), 'common');
  assert.is(title('mine', undefined), 'mine');
  assert.is(title('', ''), null);
  assert.is(title(undefined, undefined), null);
});

it('the address comes from HTTP-Referer alone (rule I5)', () => {
  assert.is(readAttribution({ 'http-referer': 'https://app.example' }).appUrl, 'https://app.example');
  assert.is(readAttribution({ referer: 'https://other.example' }).appUrl, null);
  assert.is(readAttribution({ 'http-referer': '' }).appUrl, null);
});

it('the stored text is bounded and holds printable ASCII only, without line ends or control characters (rule I5)', () => {
  const hostile = 'a\r\nx-injected: 1\u0000\u2028\u00e9\ud83d';
  for (const value of [hostile, hostile.repeat(1_000), ['a\nb', 'c']]) {
    const { appTitle, appUrl } = readAttribution({ 'x-title': value, 'http-referer': value } as never);
    for (const kept of [appTitle, appUrl]) {
      assert.ok(kept !== null && kept.length <= 256);
      assert.match(kept, /^[\x20-\x7e]+$/);
    }
  }
});

test.run();
