import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PART_BYTES_MAX, parseBytes, parseSource } from '../../../../gateway/dialects/request/parse-source.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I40, rule I41. The tests of messages cover the forms of a URL. */
const it = bounded(test);

it('a URL is forwarded unchanged, neither fetched nor normalised (rule I40)', () => {
  for (const url of [
    'https://example.com/a%20b?c=d#e',
    'HTTPS://Example.COM:443/../a',
    'http://[::1]/a',
    'https://user:pass@example.com/',
    'https://exämple.com/ü',
  ]) {
    assert.equal(parseSource(url, 'x'), { kind: 'url', url });
  }
});

it('a part above its bound is refused by its computed size; one at the bound is accepted (rule I41)', () => {
  const characters = Math.floor(PART_BYTES_MAX / 3) * 4;
  assert.is(parseBytes('A'.repeat(characters), null, 'x').kind, 'data');
  assert.throws(() => parseBytes('A'.repeat(characters + 4), null, 'x'), /^x must hold at most 33554432 bytes$/);
});

test.run();
