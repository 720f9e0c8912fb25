import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textHash } from '../../../../actors/runtime/collections/text-hash.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('continues from the hash of the preceding text', () => {
  const text = '[[7,1000,"add","open","open"],12,[3,"peek"]]';
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    assert.is(textHash(after, textHash(before)), textHash(text));
  }
});

it('differs wherever one character differs', () => {
  const text = 'a'.repeat(5_000);
  const whole = textHash(text);
  for (let at = 0; at < text.length; at += 7) {
    assert.is.not(textHash(`${text.slice(0, at)}\uffff${text.slice(at + 1)}`), whole);
  }
});

test.run();
