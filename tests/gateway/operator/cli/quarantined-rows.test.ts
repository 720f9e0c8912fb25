import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyListSchema } from '../../../../gateway/api/keys/key-schema.ts';
import { readToken } from '../../../../gateway/operator/config/secrets.ts';
import { bounded } from '../../../support/bounded.ts';
import { storeDamaged } from '../../../support/cluster/damaged-actor.ts';
import { operatorOptions } from '../../../support/cluster/operator-options.ts';
import { startCluster, type TestCluster } from '../../../support/cluster/start-cluster.ts';
import { failureOf, told, toldJson } from './in-process.ts';

/** Every list shows a quarantined actor as one row with its state, and all other rows as ever. */
const it = bounded(test, 60_000);
const ENDPOINT = 'endpoint:ep_0000000000000000';

let cluster: TestCluster;
let at: readonly string[];
let account: string;
let key: string;

test.before(async () => {
  cluster = await startCluster();
  at = await operatorOptions(cluster);
  const funded = await cluster.fund('5');
  account = funded.account;
  key = funded.keyAddress;
  const damaged = ['account:acct_broken', `${account.replace('account:', 'key:')}/key_broken`];
  for (const address of [...damaged, ENDPOINT, 'provider:broken']) storeDamaged(cluster, address, key);
});
test.after(() => cluster.close());

it('accounts list', async () => {
  // Nobody has loaded it yet: what is asked of it finds out.
  await failureOf(['accounts', 'show', 'acct_broken', ...at]);
  const listed = await told(['accounts', 'list', ...at]);
  assert.match(listed, /\nacct_broken +test +quarantined +\S+ +0 +0 +\S/);
  assert.match(listed, new RegExp(`\n${account.replace('account:', '')} +test +active `));
  const rows = await toldJson<{ id: string; status: string; fault: string | null }[]>(['accounts', 'list', ...at]);
  const broken = rows.find((row) => row.id === 'acct_broken');
  assert.is(broken?.status, 'quarantined');
  assert.match(String(broken?.fault), /acct_broken/);
  assert.match(await told(['accounts', 'list', '--name', 'acct_broken', ...at]), /\nacct_broken [^\n]*\n$/);
});

it('keys list', async () => {
  const listed = await told(['keys', 'list', account, ...at]);
  assert.match(listed, /\nacct_\w+\/key_broken +sk-gw-v1-\S+ +inference +quarantined +- +- +- /);
  assert.match(listed, new RegExp(`\n${key.replace('key:', '')} +sk-gw-v1-\\S+ +inference +active +none +0 `));
});

it('GET /keys lists a quarantined key as such, and the others as ever (rule K83)', async () => {
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  const headers = { authorization: `Bearer ${manager}` };
  const answer = await fetch(`${cluster.baseUrls[0]}/keys`, { headers });
  assert.is(answer.status, 200);
  const body = (await answer.json()) as { data: Readonly<Record<string, unknown>>[] };
  assert.ok(Check(keyListSchema, body), JSON.stringify(body));
  const shown = body.data.map(({ status, disabled, kind, limit, usage }) => [status, disabled, kind, limit, usage]);
  assert.equal(shown.sort(), [
    ['active', false, 'inference', null, 0],
    ['quarantined', false, 'inference', null, null],
  ]);
  const [broken, other] = ['quarantined', 'active'].map((one) => body.data.find(({ status }) => status === one));
  assert.equal([broken?.label, broken?.created_at], [other?.label, other?.created_at]);
});

it('endpoints list and providers list', async () => {
  for (const address of [ENDPOINT, 'provider:broken']) await told(['inspect', address, ...at]);
  assert.match(await told(['endpoints', 'list', ...at]), new RegExp(`^ +quarantined( +-){4} +${ENDPOINT} `, 'm'));
  assert.match(await told(['endpoints', 'list', '--model', 'sim/fast', ...at]), /\nsim\/fast +sim-a /);
  assert.match(await told(['providers', 'list', ...at]), /\nbroken +quarantined /);
  assert.match(await told(['providers', 'list', ...at]), /\nsim-a +\S.* declared /);
});

it('the operator port lists quarantined actors by that state', async () => {
  const { nodes, folder } = cluster;
  const asked = { headers: { authorization: `Bearer ${await readToken(folder, 'operator')}` } };
  const list = async (more: string): Promise<readonly string[]> => {
    const answer = await fetch(`${nodes[0]?.operatorUrl}/api/actors?state=quarantined${more}`, asked);
    const { data } = (await answer.json()) as { data: readonly { address: string; state: string }[] };
    return data.map(({ address, state }) => `${address} ${state}`);
  };
  assert.ok((await list('')).includes('provider:broken quarantined'));
  assert.equal(await list('&kind=account'), ['account:acct_broken quarantined']);
});

it('the rows of a quarantined account are listed, as those of any other', async () => {
  for (const list of ['keys list', 'webhooks list', 'deposits list', 'accounts ledger', 'audit']) {
    assert.is((await told([...list.split(' '), 'acct_broken', ...at])).trimEnd().split('\n').length, 1, list);
  }
  assert.match(await told(['workspaces', 'list', 'acct_broken', ...at]), /\nacct_broken\/ws_\w+ +Default [^\n]*\n$/);
  assert.match(await failureOf(['accounts', 'show', 'acct_broken', ...at]), /quarantined|no JSON/);
});

test.run();
