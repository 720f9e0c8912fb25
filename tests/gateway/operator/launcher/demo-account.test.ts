import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditLog } from '../../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../../actors/audit/audit-entry.ts';
import { withOperator } from '../../../../gateway/operator/cli/frame/asking.ts';
import { closeDemoAccount, openDemoAccount } from '../../../../gateway/operator/launcher/demo-account.ts';
import { bounded } from '../../../support/bounded.ts';
import { operatorOptions } from '../../../support/cluster/operator-options.ts';
import { startCluster, type TestCluster } from '../../../support/cluster/start-cluster.ts';

const it = bounded(test, 60_000);

it('the log of the demo account names the operator as the principal of what a start changes (rule K19)', async () => {
  const started = await startCluster({ simulators: [] });
  try {
    const { cluster } = started.nodes[0] as TestCluster['nodes'][number];
    const keys = {
      account: 'acct_demo',
      name: 'Demo',
      perMinute: null,
      api: { id: 'key_api', text: `sk-gw-v1-${'1'.repeat(64)}` },
      management: { id: 'key_management', text: `sk-gw-v1-${'2'.repeat(64)}` },
    };
    const [, data] = await operatorOptions(started);
    await withOperator({ data: data as string }, async (api) => {
      await openDemoAccount(api, keys, '5');
      assert.is(await closeDemoAccount(api, keys), true);
      // A later start enables the keys that were disabled.
      await openDemoAccount(api, keys, '5');
    });
    const entries = async () =>
      (await cluster.rows.rows({ ...auditLog('acct_demo'), limit: 20 })).map(
        ({ body }) => JSON.parse(body) as AuditEntry,
      );
    while ((await entries()).length < 7);
    assert.equal((await entries()).map(({ action, by }) => `${action} ${by.kind} ${by.id}`).sort(), [
      'deposit.credit operator operator token',
      'key.create operator operator token',
      'key.create operator operator token',
      'key.disable operator operator token',
      'key.disable operator operator token',
      'key.enable operator operator token',
      'key.enable operator operator token',
    ]);
  } finally {
    await started.close();
  }
});

test.run();
