import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { told } from '../../gateway/operator/cli/in-process.ts';
import { bounded } from '../../support/bounded.ts';
import { operatorOptions, reasoned } from '../../support/cluster/operator-options.ts';
import { limit } from '../../support/pace.ts';
import { openApi } from '../client.ts';
import { client } from '../keys/client.ts';
import { openCluster } from './cluster.ts';
import { originOf, Visitor } from './visitor.ts';

/** What operators do by command, and owners by route: sessions, approvals, workspaces. */
const it = bounded(test);

const { cluster, send } = await openApi(test, openCluster);
const at = await operatorOptions(cluster);

const json = async <T>(...args: readonly string[]): Promise<T> =>
  JSON.parse(await told([...reasoned(args), '--json', ...at])) as T;

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
  assert.match(await told([...reasoned(['accounts', 'sign-out', id]), ...at]), /1 sessions/);
  assert.is((await visitor.get('/account/sessions')).status, 303);
  const log = await told(['audit', id, ...at]);
  for (const action of ['invitation.create', 'session.open', 'session.close']) assert.match(log, action);
  assert.not.match(log, invite);
});

it('usage and the ledger are exported as CSV and JSON, by day, model and key, with the exact charges', async () => {
  const { account, key } = await cluster.fund('5');
  const id = account.slice('account:'.length);
  const answer = await send('/chat/completions', {
    key,
    body: { model: 'sim/echo', messages: [{ role: 'user', content: 'Count to three' }] },
  });
  assert.is(answer.status, 200, await answer.text());
  const ledger = await told(['export', 'ledger', id, ...at]);
  assert.is(ledger, await told(['accounts', 'ledger', id, '--csv', ...at]));
  assert.match(ledger, /^entry,at,type,from,to,amount_usd,balance_usd,key,reference\r\n1,.*\r\n2,.*,charge,.*\r\n$/);
  const booked = JSON.parse(await told(['export', 'ledger', id, '--format', 'json', ...at])) as { amount: string }[];
  assert.is(booked.length, 2);
  const charge = booked[1]?.amount;
  const [head, used, ...rest] = (await told(['export', 'usage', id, ...at])).trimEnd().split('\r\n');
  const columns = 'day,account,key,model,requests,prompt_tokens,completion_tokens,reasoning_tokens,usd';
  assert.equal([head, rest], [columns, []]);
  assert.match(String(used), new RegExp(`^\\d{4}-\\d\\d-\\d\\d,${id},key_\\w+,sim/echo,1,\\d+,3,0,${charge}$`));
  const byDay = await told(['export', 'usage', '--by', 'day', '--format', 'json', ...at]);
  const everybody = JSON.parse(byDay) as { account: string; usd: string }[];
  assert.is(everybody.find((one) => one.account === id)?.usd, charge);
  assert.equal(JSON.parse(await told(['export', 'usage', id, '--till', '2020-01-01', '--format', 'json', ...at])), []);
  for (const [args, message] of [
    [['usage', 'acct_nope'], /there is no account acct_nope/],
    [['usage', id, '--from', '2026-02-30'], /is not a day/],
    [['usage', id, '--from', '2020-01-01'], /at most 400 days/],
    [['usage', id, '--from', '2026-01-02', '--till', '2026-01-01'], /--from is after --till/],
  ] as const) {
    assert.match(await told(['export', ...args, ...at]).catch((error: Error) => error.message), message);
  }
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
    [['invite', 'acct_nope'], /there is no account acct_nope; `troupe accounts list` shows/],
    [['sessions', 'acct_nope'], /there is no account acct_nope; `troupe accounts list` shows/],
  ] as const) {
    const failed = await told([...reasoned(['accounts', ...args]), ...at]).catch((error: Error) => error.message);
    assert.match(failed, message);
  }
});

it('the owner lists and ends sessions by route, one or all, and only those of the account', async () => {
  const { account, key: inference } = await cluster.fund('1');
  const { key } = await cluster.issue(account, { kind: 'management' });
  const [id, visitors] = [
    account.slice('account:'.length),
    [0, 1, 2].map((node) => new Visitor(originOf(cluster, node))),
  ];
  for (const visitor of visitors) {
    const { link } = await json<{ link: string }>('accounts', 'invite', id);
    await visitor.post('/sign-in', { invite: new URL(link).searchParams.get('invite') as string });
  }
  const owner = client(cluster.baseUrls, key, 1);
  const listed = async () => ((await owner.send('GET', '/sessions')).body as { data: { id: string }[] }).data;
  const open = await listed();
  assert.is(open.length, 3);
  assert.equal(Object.keys(open[0] as object), ['id', 'object', 'agent', 'opened_by', 'created_at', 'expires_at']);
  const stranger = client(
    cluster.baseUrls,
    (await cluster.issue((await cluster.fund('1')).account, { kind: 'management' })).key,
  );
  assert.is((await stranger.send('DELETE', `/sessions/${open[0]?.id}`)).status, 404);
  assert.is((await owner.send('DELETE', '/sessions/ses_nope')).status, 404);
  assert.equal((await owner.send('DELETE', `/sessions/${open[0]?.id}`)).body, { deleted: true });
  assert.is((await listed()).length, 2);
  assert.equal((await owner.send('DELETE', '/sessions')).body, { deleted: true, ended_count: 2 });
  assert.equal(await listed(), []);
  for (const visitor of visitors) assert.is((await visitor.get('/account/sessions')).status, 303);
  assert.is((await client(cluster.baseUrls, inference).send('GET', '/sessions')).status, 403);
});

const VERIFIER = 'a-verifier-of-forty-three-characters-or-more';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

it('a key is approved by route or by command, with what it may do, and traded once', async () => {
  const { account } = await cluster.fund('1');
  const { key } = await cluster.issue(account, { kind: 'management' });
  const owner = client(cluster.baseUrls, key);
  const made = (await owner.send('POST', '/workspaces', { name: 'Apps' })).body as { data: { id: string } };
  const asked = {
    callback_url: 'https://app.example.com/back',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  };
  const terms = { limit: 0.5, usage_limit_type: 'daily', key_label: 'Laptop', expires_at: '2999-01-31T00:00:00Z' };
  const body = { ...asked, ...terms, workspace_id: made.data.id };
  const { status, body: answer } = await owner.send('POST', '/auth/keys/code', body);
  assert.is(status, 200);
  const { data } = answer as { data: { id: string; app_id: number; created_at: string } };
  assert.equal([data.app_id, Number.isNaN(Date.parse(data.created_at))], [0, false]);
  const trade = { code: data.id, code_verifier: VERIFIER, code_challenge_method: 'S256' };
  const traded = await owner.send('POST', '/auth/keys', trade);
  assert.match((traded.body as { key: string }).key, /^sk-gw-v1-[0-9a-f]{64}$/);
  assert.is((await owner.send('POST', '/auth/keys', trade)).status, 400);
  const { data: keys } = (await owner.send('GET', '/keys')).body as { data: Record<string, unknown>[] };
  const issued = keys.find(({ origin }) => origin === 'https://app.example.com') as Record<string, unknown>;
  assert.equal(
    [issued.name, issued.limit, issued.limit_reset, issued.expires_at, issued.workspace_id],
    ['Laptop', 0.5, 'daily', '2999-01-31T00:00:00.000Z', made.data.id],
  );
  for (const [change, name] of [
    [{ callback_url: 'http://app.example.com/' }, /callback_url/],
    [{ callback_url: undefined }, /callback_url/],
    [{ code_challenge: 'short' }, /code_challenge/],
    [{ code_challenge_method: 'plain' }, /code_challenge_method/],
    [{ expires_at: '2999-02-31T00:00:00Z' }, /expires_at/],
    [{ limit: -1 }, /limit/],
    [{ workspace_id: 'ws_nope' }, /workspace_id/],
  ] as const) {
    const refused = await owner.send('POST', '/auth/keys/code', { ...body, ...change });
    assert.is(refused.status, 400);
    assert.match(JSON.stringify(refused.body), name);
  }
  const unnamed = { callback_url: 'https://two.example.com/', code_challenge: CHALLENGE, code_challenge_method: null };
  const left = { limit: null, usage_limit_type: 'weekly', key_label: null, expires_at: null, workspace_id: null };
  assert.is((await owner.send('POST', '/auth/keys/code', { ...unnamed, ...left })).status, 200, 'null is as left out');
  const id = account.slice('account:'.length);
  const { code } = await json<{ code: string }>(
    'keys',
    'approve',
    id,
    'http://localhost:4000/',
    CHALLENGE,
    '--limit',
    '2',
  );
  const second = await owner.send('POST', '/auth/keys', { ...trade, code });
  assert.is(second.status, 200);
  assert.match(await told(['audit', id, ...at]), /grant\.approve .*operator/);
  const failed = await told([...reasoned(['keys', 'approve', id, 'http://example.com/', CHALLENGE]), ...at]).catch(
    (error: Error) => error.message,
  );
  assert.match(failed, /callback_url must be an https address/);
});

it('an operator manages workspaces and their budgets as their owner does', async () => {
  const { account } = await cluster.fund('1');
  const { key } = await cluster.issue(account, { kind: 'management' });
  const [id, owner] = [account.slice('account:'.length), client(cluster.baseUrls, key, 2)];
  const run = <T>(...args: readonly string[]): Promise<T> => json<T>('workspaces', ...args);
  const made = await run<{ id: string; slug: string }>('create', id, 'Team', '--slug', 'team', '--description', 'Ours');
  const name = `${id}/${made.id}`;
  await run('budget', name, 'daily', '0.25');
  await run('add-member', name, 'ada', '--admin');
  const shown = (await owner.send('GET', '/workspaces/team')).body as {
    data: { description: string; budget_remaining: number };
  };
  assert.equal([shown.data.description, shown.data.budget_remaining], ['Ours', 0.25]);
  const members = (await owner.send('GET', '/workspaces/team/members')).body as {
    data: { user_id: string; role: string }[];
  };
  assert.equal(
    members.data.map(({ user_id, role }) => [user_id, role]),
    [['ada', 'admin']],
  );
  assert.match(await told(['workspaces', 'show', name, ...at]), /ada \(admin\).*0\.25 daily/s);
  await run('budget', name, 'daily', 'none');
  assert.is((await owner.send('GET', '/workspaces/team/budgets/daily')).status, 404);
  // The default workspace is stored at its first change.
  const home = `${id}/${((await owner.send('GET', '/workspaces')).body as { data: { id: string }[] }).data[0]?.id}`;
  assert.equal(
    (await run<{ budgets: { limit: string }[] }>('budget', home, 'lifetime', '3')).budgets.map(({ limit }) => limit),
    ['3'],
  );
  for (const [args, message] of [
    [['budget', name, 'hourly', '1'], /daily, weekly, monthly, lifetime/],
    [['budget', name, 'daily', 'much'], /limit_usd must be an amount in USD/],
    [['create', id, 'Other', '--slug', 'team'], /has the slug team/],
    [['set', name, '--slug', 'default'], /has the slug default/],
    [['set', name, '--slug', 'No Slug'], /slug must match/],
  ] as const) {
    const failed = await told([...reasoned(['workspaces', ...args]), ...at]).catch((error: Error) => error.message);
    assert.match(failed, message);
  }
});

it('the refused requests of an account are listed from every node, out of the store', async () => {
  const { account, key } = await cluster.fund('1');
  const id = account.slice('account:'.length);
  assert.match(await told(['accounts', 'refused', id, ...at]), /no request of this account was refused/);
  for (const [node] of cluster.baseUrls.entries()) {
    const asked = { model: `nobody/model-${node}`, messages: [{ role: 'user', content: 'hi' }] };
    assert.is((await client(cluster.baseUrls, key, node).send('POST', '/chat/completions', asked)).status, 404);
  }
  const names = cluster.nodes.map(({ name }) => name).sort();
  for (const leftMs = limit(30_000); ; ) {
    const found = await json<{ status: number; node: string; route: string; message: string }[]>(
      'accounts',
      'refused',
      id,
    );
    if (found.length < names.length && leftMs() > 0) continue;
    assert.equal(found.map(({ node }) => node).sort(), names);
    assert.ok(found.every(({ status, route }) => status === 404 && route?.endsWith('/chat/completions')));
    assert.ok(found.every(({ message }) => /nobody\/model-/.test(message)));
    break;
  }
});

test.run();
