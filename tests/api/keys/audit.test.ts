/** The audit log over HTTP: who may read it, page by page, filtered, verified. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAccount } from '../../../actors/account/account.ts';
import { changeKey } from '../../../actors/key/key.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
const ASK_MS = 30_000;

const { cluster, send } = await openApi(test, openCluster);

interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly action: string;
  readonly target: string;
  readonly by: { readonly kind: string; readonly id: string; readonly address: string | null };
}
interface Page {
  readonly data: readonly Entry[];
  readonly last_id: string | null;
  readonly has_more: boolean;
  readonly verification?: { readonly sound: boolean; readonly entries: number };
}

const audit = (key: string, query = '', node = 0): Promise<Response> => send(`/audit${query}`, { key, node });
const pageOf = async (key: string, query = '', node = 0): Promise<Page> =>
  (await audit(key, query, node)).json() as Promise<Page>;

it('the owner reads every change of the account on any node, newest first, page by page (rule K19)', async () => {
  const { account, key, keyAddress } = await cluster.fund('1');
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  const [{ cluster: node }] = cluster.nodes as [TestCluster['nodes'][number]];
  const by = { kind: 'operator', id: 'test', address: '192.0.2.7' } as const;
  await changeKey(node, keyAddress, 'disable', paced(ASK_MS), by);
  await changeAccount(node, account, 'suspend', paced(ASK_MS), by);
  await changeAccount(node, account, 'resume', paced(ASK_MS), by);

  const { data, has_more, last_id } = await pageOf(manager, '?limit=2', 1);
  assert.equal(
    data.map(({ sequence, action, target, by: who }) => [sequence, action, target, who]),
    [
      [6, 'account.resume', account, by],
      [5, 'account.suspend', account, by],
    ],
  );
  assert.ok(has_more);
  const rest = await pageOf(manager, `?limit=10&after=${last_id}&verify=true`, 2);
  assert.equal(
    rest.data.map(({ action }) => action),
    ['key.disable', 'key.create', 'key.create', 'deposit.credit'],
  );
  assert.equal(rest.verification, { sound: true, entries: 6, removed: 0 });
  assert.is((await pageOf(manager, `?target=${encodeURIComponent(keyAddress)}`)).data.length, 2);
  assert.is((await pageOf(manager, '?action=account.suspend')).data.length, 1);
  assert.not.match(JSON.stringify([data, rest]), new RegExp(`${manager}|${key}`));
});

it('an inference key is refused with 403, a stranger with 401, another account sees its own log alone', async () => {
  const { account, key } = await cluster.fund('1');
  const refused = await audit(key);
  assert.is(refused.status, 403);
  const { error } = (await refused.json()) as { error: { message: string; metadata: { error_type: string } } };
  assert.is(error.metadata.error_type, 'permission_denied');
  assert.is(error.message, 'Only management keys can perform this operation');
  assert.is((await audit(`sk-gw-v1-${'0'.repeat(64)}`)).status, 401);
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  assert.is((await pageOf(manager)).data.length, 3, 'a deposit and two keys');
});

it('refuses a malformed cursor, an unknown flag and two filters', async () => {
  const { account } = await cluster.fund('1');
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  for (const query of ['after=7', 'verify=yes', 'target=a&action=b', 'limit=101']) {
    assert.is((await audit(manager, `?${query}`)).status, 400, query);
  }
});

test.run();
