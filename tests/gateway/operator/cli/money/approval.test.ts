import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { approvalOf, approverFrom } from '../../../../../gateway/operator/cli/money/approval.ts';
import type { ClusterConfig } from '../../../../../gateway/terms/config/config.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const config = { deposits: { approvalAboveUsd: '1000' } } as ClusterConfig;

it('above the configured amount a second person has to be named, and the name is recorded', () => {
  assert.equal(approvalOf('1000', undefined, config), {});
  const words =
    /1000\.000000000000000000000001 USD is above deposits\.approvalAboveUsd \(1000\); .* add --approved-by NAME/;
  assert.throws(() => approvalOf('1000.000000000000000000000001', undefined, config), words);
  assert.equal(approvalOf('5000', 'Grace Hopper', config), { approvedBy: 'Grace Hopper' });
  assert.equal(approvalOf('5', 'grace@example.com', config), { approvedBy: 'grace@example.com' });
});

it('the name is one line of letters, digits and a few signs', () => {
  assert.is(approverFrom(' Grace Hopper '), 'Grace Hopper');
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(65), '-']) {
    assert.throws(() => approverFrom(name), /--approved-by must be a name/, JSON.stringify(name));
  }
});

test.run();
