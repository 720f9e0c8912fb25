import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readOperatorToken } from '../../../gateway/operator/config/secrets.ts';
import { told } from '../../gateway/operator/cli/in-process.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { originOf, Visitor } from './visitor.ts';

/** What an operator does about sessions, by `troupe accounts`. */
const it = bounded(test);

let cluster: TestCluster;
let at: readonly string[];

test.before(async () => {
  cluster = await openCluster();
  const nodes = cluster.nodes.map(({ name, pid, grpcAddress: grpc, operatorUrl: operator_url }) => {
    return { name, pid, grpc, operator_url };
  });
  const operator_token = await readOperatorToken(cluster.folder);
  const connection = { base_url: cluster.baseUrls[0], operator_token, nodes };
  writeFileSync(join(cluster.folder, 'connection.json'), JSON.stringify(connection));
  at = ['--data', cluster.folder];
});
test.after(() => cluster.close());

const json = async <T>(...args: readonly string[]): Promise<T> =>
  JSON.parse(await told([...args, '--json', ...at])) as T;

it('an operator invites a person, sees the session of the link and ends it', async () => {
  const { id } = await json<{ id: string }>('accounts', 'create', 'Grace');
  assert.equal(await json('accounts', 'sessions', id), []);
  const { link } = await json<{ link: string }>('accounts', 'invite', id, '--hours', '1');
  const { origin, pathname, searchParams } = new URL(link);
  assert.equal([origin, pathname], [originOf(cluster), '/sign-in']);
  const visitor = new Visitor(originOf(cluster, 2));
  const invite = searchParams.get('invite') as string;
  assert.is((await visitor.post('/sign-in', { invite }, { 'user-agent': 'Mozilla/5.0 Firefox/140' })).status, 303);
  assert.is((await visitor.get('/account/sessions')).status, 200);
  const list = await told(['accounts', 'sessions', id, ...at]);
  assert.match(list, /\nses_[0-9a-f]{32} +operator invitation:acct_\w+\/inv_[0-9a-f]{32} +v4-127\.0\.0\.1 .*Firefox/);
  assert.match(await told(['accounts', 'sign-out', id, ...at]), /1 sessions/);
  assert.is((await visitor.get('/account/sessions')).status, 303);
  const log = await told(['audit', id, ...at]);
  for (const action of ['invitation.create', 'session.open', 'session.close']) assert.match(log, action);
  assert.not.match(log, invite);
});

it('a link names the public address that the operator gives, and is bounded in time', async () => {
  const { id } = await json<{ id: string }>('accounts', 'create', 'Alan');
  const { link, expires_at } = await json<{ link: string; expires_at: string }>(
    ...['accounts', 'invite', id, '--url', 'https://api.example.com/api/v1'],
  );
  assert.match(link, /^https:\/\/api\.example\.com\/sign-in\?invite=[0-9a-f]{64}$/);
  assert.ok(Date.parse(expires_at) > Date.now());
  for (const [args, message] of [
    [['invite', id, '--hours', '169'], /at most 168/],
    [['invite', id, '--hours', '0'], /whole number above zero/],
    [['invite', id, '--url', 'nonsense'], /is not an address/],
    [['invite', 'acct_nope'], /there is no account:acct_nope/],
    [['sessions', 'acct_nope'], /there is no account:acct_nope/],
  ] as const) {
    const failed = await told(['accounts', ...args, ...at]).catch((error: Error) => error.message);
    assert.match(failed, message);
  }
});

test.run();
