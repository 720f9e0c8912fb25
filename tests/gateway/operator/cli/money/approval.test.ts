import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { approvalOf } from '../../../../../gateway/operator/cli/money/approval.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const failure = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'accepted',
    (error: Error) => error.message,
  );

it('above the configured amount a second person has to be named, and the name is recorded', async () => {
  assert.equal(await approvalOf('1000', {}), {});
  const words =
    /1000\.000000000000000000000001 USD is above deposits\.approvalAboveUsd \(1000\); .* add --approved-by NAME/;
  assert.match(await failure(approvalOf('1000.000000000000000000000001', {})), words);
  assert.equal(await approvalOf('5000', { approvedBy: ' Grace Hopper ' }), { approvedBy: 'Grace Hopper' });
  assert.equal(await approvalOf('5', { approvedBy: 'grace@example.com' }), { approvedBy: 'grace@example.com' });
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(65), '-']) {
    assert.match(
      await failure(approvalOf('5', { approvedBy: name })),
      /--approved-by must be a name/,
      JSON.stringify(name),
    );
  }
});

test.run();
