/**
 * A workspace of an account, made, changed and ended through the API and the command line (it has no page): the rows and
 * the refusals must not differ.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { listWorkspaces } from '../../../actors/workspace/workspace.ts';
import { bounded } from '../../support/bounded.ts';
import type { Client } from './client.ts';
import { Fronts, type Owner, refusal } from './fronts.ts';

const it = bounded(test, 120_000);

let fronts: Fronts;
test.before(async () => {
  fronts = await Fronts.open();
});
test.after(() => fronts.cluster.close());

interface WorkspaceFront {
  create(owner: Owner, name: string, slug?: string): Promise<unknown>;
  edit(owner: Owner, id: string): Promise<unknown>;
  join(owner: Owner, id: string): Promise<unknown>;
  budget(owner: Owner, id: string, limit: string | null, interval?: string): Promise<unknown>;
  end(owner: Owner, id: string): Promise<unknown>;
}

const apiWorkspaces = (send: (answer: ReturnType<Client['send']>) => Promise<unknown>): WorkspaceFront => ({
  create: ({ api }, name, slug) =>
    send(api.send('POST', '/workspaces', { name, ...(slug === undefined ? {} : { slug }) })),
  edit: ({ api }, id) =>
    send(api.send('PATCH', `/workspaces/${id}`, { description: 'Ours', zdr: false, ignored_providers: ['sim-b'] })),
  join: ({ api }, id) => send(api.send('POST', `/workspaces/${id}/members/add`, { user_ids: ['ada'], role: 'admin' })),
  budget: ({ api }, id, limit, interval = 'daily') =>
    send(
      limit === null
        ? api.send('DELETE', `/workspaces/${id}/budgets/${interval}`)
        : api.send('PUT', `/workspaces/${id}/budgets/${interval}`, { limit_usd: limit }),
    ),
  end: ({ api }, id) => send(api.send('DELETE', `/workspaces/${id}`)),
});

const commandWorkspaces = (run: (...args: readonly string[]) => Promise<unknown>): WorkspaceFront => ({
  create: ({ id }, name, slug) =>
    run('workspaces', 'create', id, name, ...(slug === undefined ? [] : ['--slug', slug])),
  edit: ({ id }, workspace) =>
    run('workspaces', 'set', `${id}/${workspace}`, '--description', 'Ours', '--zdr', 'no', '--ignore', 'sim-b'),
  join: ({ id }, workspace) => run('workspaces', 'add-member', `${id}/${workspace}`, 'ada', '--admin'),
  budget: ({ id }, workspace, limit, interval = 'daily') =>
    run('workspaces', 'budget', `${id}/${workspace}`, interval, limit ?? 'none'),
  end: ({ id }, workspace) => run('workspaces', 'delete', `${id}/${workspace}`),
});

async function workspacesOf({ id }: Owner): Promise<readonly WorkspaceRecord[]> {
  return listWorkspaces(fronts.node.rows, id);
}

function comparableWorkspace({ members, budgets, ...workspace }: WorkspaceRecord): object {
  const { id: _1, account: _2, createdAt: _3, updatedAt: _4, createdBy: _5, ...rest } = workspace;
  return {
    ...rest,
    members: members.map(({ user, role }) => [user, role]),
    budgets: budgets.map(({ interval, limit }) => [interval, limit]),
  };
}

it('a workspace is made by the configured defaults, changed and deleted to the same rows by both fronts', async () => {
  const lives: unknown[] = [];
  for (const front of [apiWorkspaces((answer) => answer), commandWorkspaces((...args) => fronts.ran(...args))]) {
    const owner = await fronts.owner();
    const seen: object[] = [];
    const look = async (): Promise<string> => {
      const [workspace, ...others] = await workspacesOf(owner);
      assert.ok(workspace !== undefined && others.length === 0);
      seen.push(comparableWorkspace(workspace));
      return workspace.id;
    };
    await front.create(owner, 'My Team');
    const id = await look();
    for (const change of [
      () => front.edit(owner, id),
      () => front.join(owner, id),
      () => front.budget(owner, id, '2.5'),
      () => front.budget(owner, id, null),
    ]) {
      await change();
      await look();
    }
    await front.end(owner, id);
    assert.equal(await workspacesOf(owner), []);
    lives.push(seen);
  }
  const [made] = lives[0] as [Record<string, unknown>];
  assert.equal([made.slug, made.zeroRetention, made.partition], ['my-team', true, 'none']);
  assert.equal(lives[1], lives[0]);
});

it('what a workspace may not have is refused by both fronts, in the same words', async () => {
  const words: string[][] = [];
  const both = [apiWorkspaces(refusal), commandWorkspaces((...args) => fronts.failure(...args))];
  for (const front of both) {
    const owner = await fronts.owner();
    await owner.api.send('POST', '/workspaces', { name: 'Taken' });
    const [taken] = (await workspacesOf(owner)) as [WorkspaceRecord];
    const { data } = (await owner.api.send('GET', '/workspaces')).body as { data: [{ id: string }] };
    const said = [
      await front.create(owner, 'n'.repeat(257)),
      await front.create(owner, 'Taken'),
      await front.create(owner, '???'),
      await front.create(owner, 'Team', 'No Slug'),
      await front.budget(owner, taken.id, 'much'),
      await front.budget(owner, taken.id, '1', 'hourly'),
      await front.budget(owner, taken.id, null),
      await front.end(owner, data[0].id),
    ];
    words.push(said.map(String));
    assert.equal((await workspacesOf(owner)).filter(({ isDefault }) => !isDefault).length, 1);
  }
  const [first = [], second] = words;
  assert.match(String(first[0]), /name must have at most 256/);
  assert.match(String(first[1]), /has the slug taken/);
  assert.equal(second, first);
});

test.run();
