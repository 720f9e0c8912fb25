import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { base64Bytes } from '../../../../gateway/dialects/request/parse-source.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I41. */
const it = bounded(test);

it('the computed size equals the size that Node decodes (rule I41)', () => {
  for (let bytes = 1; bytes < 200; bytes++) {
    const text = Buffer.alloc(bytes, 0xfb).toString('base64');
    assert.is(base64Bytes(text), bytes);
    assert.is(Buffer.from(text, 'base64').length, bytes);
  }
});

it('characters that Node would silently drop are refused at every position (rule I41)', () => {
  const sound = Buffer.alloc(32, 0xa5).toString('base64');
  for (const foreign of ['-', '_', '\n', ' ', '=', '\u0000', '%', 'ä', '\ud83d']) {
    for (let at = 0; at < sound.length - 2; at++) {
      assert.is(base64Bytes(sound.slice(0, at) + foreign + sound.slice(at + 1)), null, `${foreign} at ${at}`);
    }
  }
});

it('a text with incomplete padding is refused', () => {
  for (const text of [
    '',
    '=',
    '==',
    '====',
    'A',
    'AA',
    'AAA',
    'A===',
    'AA=',
    'AAAAA',
    'AAAA=',
    'AAAA====',
    'AA==AAAA',
  ]) {
    assert.is(base64Bytes(text), null, text);
  }
  assert.is(base64Bytes('AA=='), 1);
  assert.is(base64Bytes('AAA='), 2);
  assert.is(base64Bytes('AAAA'), 3);
});

it('a text of many megabytes is checked without reaching a limit of the regular expression engine', () => {
  const long = 'A'.repeat(24 * 1_024 * 1_024);
  assert.is(base64Bytes(long), 18 * 1_024 * 1_024);
  assert.is(base64Bytes(`${long.slice(0, -4)}AAA-`), null);
});

test.run();
