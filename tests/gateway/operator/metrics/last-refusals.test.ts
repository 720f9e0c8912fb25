import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LastRefusals } from '../../../../gateway/operator/metrics/last-refusals.ts';
import type { RefusedRequest } from '../../../../gateway/terms/measures.ts';

function refused(at: number, message = 'no'): RefusedRequest {
  return { at, generation: `gen-${at}`, route: null, status: 404, type: 'not_found', message, key: null };
}

test('the five newest refusals of an account are kept, newest first, each with a bounded message', () => {
  const kept = new LastRefusals();
  for (let at = 1; at <= 7; at++) kept.note('account:a', refused(at, 'x'.repeat(10_000)));
  kept.note('account:b', refused(9));
  assert.equal(
    kept.of('account:a').map(({ at }) => at),
    [7, 6, 5, 4, 3],
  );
  assert.is(kept.of('account:a')[0]?.message.length, 500);
  assert.is(kept.of('account:b').length, 1);
  assert.equal(kept.of('account:c'), []);
});

test.run();
