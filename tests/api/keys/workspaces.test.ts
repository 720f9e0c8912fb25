/** Workspaces over HTTP: settings, budgets, members, moved keys, each change effective on every node. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { type Client, client } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);

const { cluster } = await openApi(test, openCluster);

interface Workspace {
  readonly id: string;
  readonly slug: string;
  readonly is_default: boolean;
  readonly created_at: string;
  readonly created_by: string;
  readonly zdr: boolean;
  readonly budget_remaining?: number | null;
}
interface Failure {
  readonly error: { readonly message: string; readonly metadata: { readonly scope?: string } };
}

const CHAT = { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }], max_tokens: 20 };

async function manage(): Promise<{ manager: Client; nodes: readonly Client[]; hash: string }> {
  const { account, key } = await cluster.fund('10');
  const { key: text } = await cluster.issue(account, { kind: 'management' });
  const manager = client(cluster.baseUrls, text);
  const { data } = (await manager.send('GET', '/keys')).body as { data: { hash: string }[] };
  const nodes = cluster.baseUrls.map((_, node) => client(cluster.baseUrls, key, node));
  return { manager, nodes, hash: data[0]?.hash as string };
}

const made = async (manager: Client, body: object): Promise<Workspace> =>
  ((await manager.send('POST', '/workspaces', body)).body as { data: Workspace }).data;
const failure = (body: unknown): Failure['error'] => (body as Failure).error;

it('an account has one default workspace from its creation, whose settings become its own with the first change (rule K21)', async () => {
  const { manager } = await manage();
  const { data, total_count } = (await manager.send('GET', '/workspaces')).body as {
    data: Workspace[];
    total_count: number;
  };
  assert.equal([total_count, data[0]?.is_default, data[0]?.slug, data[0]?.zdr], [1, true, 'default', false]);
  const { body } = await manager.send('PATCH', '/workspaces/default', { zdr: true });
  const origin = ({ created_at, created_by }: Workspace) => [created_at, created_by];
  assert.equal(
    origin((body as { data: Workspace }).data),
    origin(data[0] as Workspace),
    'it existed before its change',
  );
  assert.equal([(body as { data: Workspace }).data.id, (body as { data: Workspace }).data.zdr], [data[0]?.id, true]);
  assert.is((await manager.send('DELETE', '/workspaces/default')).status, 403);
});

it('what a workspace allows, ignores and requires decides on every node within two seconds of the change (rule K7)', async () => {
  const { manager, nodes, hash } = await manage();
  const team = await made(manager, { name: 'My Team' });
  assert.is(team.slug, 'my-team');
  await manager.send('PATCH', `/keys/${hash}`, { workspace_id: team.id });
  const everywhere = async (isDone: (status: number, message: string) => boolean): Promise<void> => {
    await Promise.all(
      nodes.map((node) =>
        node.until(
          'POST',
          '/chat/completions',
          ({ status, body }) => isDone(status, failure(body)?.message ?? ''),
          CHAT,
        ),
      ),
    );
  };
  await everywhere((status) => status === 200);
  const settings: readonly (readonly [object, RegExp])[] = [
    [{ allowed_providers: ['nobody'] }, /workspace\.allowed_providers/],
    [{ allowed_providers: null, ignored_providers: ['sim-a', 'sim-b'] }, /workspace\.ignored_providers/],
    [{ ignored_providers: [], zdr: true }, /workspace\.zdr/],
  ];
  for (const [change, member] of settings) {
    await manager.send('PATCH', `/workspaces/${team.slug}`, change);
    await everywhere((status, message) => status === 503 && member.test(message));
  }
  await manager.send('PATCH', `/keys/${hash}`, { workspace_id: 'default' });
  await everywhere((status) => status === 200);
});

it('a budget refuses with 402 and its scope; it is read, raised and removed (rule K22)', async () => {
  const { manager, nodes, hash } = await manage();
  const [node] = nodes as [Client];
  const team = await made(manager, { name: 'Team', slug: 'team-b' });
  await manager.send('PATCH', `/keys/${hash}`, { workspace_id: team.slug });
  const path = `/workspaces/${team.id}/budgets/monthly`;
  const put = await manager.send('PUT', path, { limit_usd: '0.000000000001' });
  assert.is((put.body as { data: { reset_interval: string } }).data.reset_interval, 'monthly');
  const refused = await node.send('POST', '/chat/completions', CHAT);
  assert.equal([refused.status, failure(refused.body).metadata.scope], [402, 'workspace']);
  await manager.send('PUT', path, { limit_usd: 5 });
  assert.is((await node.send('POST', '/chat/completions', CHAT)).status, 200);
  const { data } = (await manager.send('GET', `/workspaces/${team.id}`)).body as { data: Workspace };
  assert.ok((data.budget_remaining as number) < 5 && (data.budget_remaining as number) > 4);
  assert.equal((await manager.send('DELETE', path)).body, { deleted: true });
  assert.is((await manager.send('GET', path)).status, 404);
  assert.is((await manager.send('GET', `/workspaces/${team.id}/budgets/hourly`)).status, 400);
});

it('the first budget counts every charge exactly, also those that are made while it is set', async () => {
  const { manager, nodes, hash } = await manage();
  const team = await made(manager, { name: 'Team', slug: 'team-c' });
  await manager.send('PATCH', `/keys/${hash}`, { workspace_id: team.slug });
  const chat = async (node: Client): Promise<bigint> => {
    const { status, body } = await node.send('POST', '/chat/completions', CHAT);
    assert.is(status, 200);
    return nanos((body as { usage: { cost: number } }).usage.cost);
  };
  let spent = await chat(nodes[0] as Client);
  const running = Array.from({ length: 24 }, (_, at) => chat(nodes[at % nodes.length] as Client));
  const put = manager.send('PUT', `/workspaces/${team.id}/budgets/lifetime`, { limit_usd: 5 });
  for (const cost of await Promise.all(running)) spent += cost;
  assert.is((await put).status, 200);
  const { data } = (await manager.send('GET', `/workspaces/${team.id}`)).body as { data: Workspace };
  assert.is(nanos(data.budget_remaining as number), 5_000_000_000n - spent);
});

/** Billionths of a USD: prices of the simulated models have no finer part. */
const nanos = (usd: number): bigint => BigInt(Math.round(usd * 1e9));

it('members are added and removed; a key is assigned to members only; a workspace with keys stays', async () => {
  const { manager, hash } = await manage();
  const team = await made(manager, { name: 'Team' });
  const members = (what: string, user_ids: string[]) =>
    manager.send('POST', `/workspaces/${team.id}/members/${what}`, { user_ids });
  assert.is(((await members('add', ['ann', 'bob'])).body as { added_count: number }).added_count, 2);
  await manager.send('PATCH', `/keys/${hash}`, { workspace_id: team.id });
  assert.is((await manager.send('PATCH', `/keys/${hash}`, { creator_user_id: 'eve' })).status, 400);
  assert.is((await manager.send('PATCH', `/keys/${hash}`, { creator_user_id: 'ann' })).status, 200);
  assert.is((await members('remove', ['ann'])).status, 409);
  assert.equal((await members('remove', ['bob'])).body, { removed_count: 1 });
  assert.is((await manager.send('DELETE', `/workspaces/${team.id}`)).status, 409);
  await manager.send('DELETE', `/keys/${hash}`);
  assert.equal((await manager.send('DELETE', `/workspaces/${team.id}`)).body, { deleted: true });
  assert.is((await manager.send('GET', `/workspaces/${team.id}`)).status, 404);
});

it('a workspace of another account is one 404 with an unknown one, and two workspaces never share a slug', async () => {
  const [own, other] = await Promise.all([manage(), manage()]);
  const team = await made(own.manager, { name: 'Team' });
  const answers = new Set<string>();
  for (const id of [team.id, 'ws_00000000000000000000', 'no-such-slug']) {
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'stolen' }],
      ['DELETE', ''],
      ['GET', '/members'],
      ['PUT', '/budgets/daily', { limit_usd: 1 }],
    ] as const) {
      const answer = await other.manager.send(method, `/workspaces/${id}${path}`, body);
      answers.add(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  assert.is(answers.size, 1, [...answers].join('\n'));
  assert.is((await own.manager.send('POST', '/workspaces', { name: 'team' })).status, 409);
  assert.is((await own.manager.send('POST', '/workspaces', { name: 'Default' })).status, 409);
});

test.run();
