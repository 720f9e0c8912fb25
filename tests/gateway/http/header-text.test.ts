import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headerText } from '../../../gateway/http/write-answer.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('reduces any text to characters that a header may carry (rule E28)', () => {
  assert.is(headerText('Café "日本"\r\nX: y'), 'Cafe "??"??X: y');
  assert.is(headerText('a'.repeat(1_000)).length, 256);
  for (const text of ['ﷺ'.repeat(300), '\u0000\u007f', '🎭']) {
    assert.match(headerText(text), /^[\x20-\x7e]{0,256}$/);
    assert.ok(new Headers({ name: headerText(text) }));
  }
});

test.run();
