import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isEmpty } from '../../../gateway/terms/exact-decimal.ts';

test('an object is empty until it has a member, even an undefined one', () => {
  assert.ok(isEmpty({}));
  assert.ok(isEmpty([]));
  assert.not(isEmpty({ a: undefined }));
  assert.not(isEmpty([0]));
});

test.run();
