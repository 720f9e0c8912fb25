import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { approvalOf } from '../../../../gateway/operator/api/account/changes.ts';
import { approverFrom } from '../../../../gateway/operator/cli/frame/names.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('above the configured amount a second person has to be named, and the name is recorded', () => {
  assert.equal(approvalOf('1000', '1000', undefined), {});
  const words =
    /1000\.000000000000000000000001 USD is above deposits\.approvalAboveUsd \(1000\); .* add --approved-by NAME/;
  assert.throws(() => approvalOf('1000', '1000.000000000000000000000001', undefined), words);
  assert.equal(approvalOf('1000', '5000', 'Grace Hopper'), { approvedBy: 'Grace Hopper' });
  assert.equal(approvalOf('1000', '5', 'grace@example.com'), { approvedBy: 'grace@example.com' });
});

it('the name is one line of letters, digits and a few signs', () => {
  assert.is(approverFrom(' Grace Hopper '), 'Grace Hopper');
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(65), '-']) {
    assert.throws(() => approverFrom(name), /--approved-by must be a name/, JSON.stringify(name));
  }
});

test.run();
