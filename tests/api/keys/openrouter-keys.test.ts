/** `@openrouter/sdk` as the client of the routes for keys and workspaces: it validates every member of every answer. */
import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { maskKey } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster } = await openApi(test, openCluster);
let manager: OpenRouter;
let inference: string;

test.before(async () => {
  const { account, key } = await cluster.fund('10');
  inference = key;
  manager = clientOf((await cluster.issue(account, { kind: 'management' })).key);
});

function clientOf(apiKey: string, node = 0): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: cluster.baseUrls[node] as string, retryConfig: { strategy: 'none' } });
}

async function statusOf(run: Promise<unknown>): Promise<number> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof errors.OpenRouterError) return error.statusCode;
  throw error ?? new Error('the call did not fail');
}

const HELLO = { model: 'sim/fast', messages: [{ role: 'user' as const, content: 'hello' }] };

it('creates, lists, gets, updates and deletes a key (rule K15)', async () => {
  const expiresAt = new Date('2999-01-31T00:00:00.000Z');
  const { data, key } = await manager.apiKeys.create({
    requestBody: { name: 'laptop', limit: 2.5, limitReset: 'daily', expiresAt, creatorUserId: 'ann' },
  });
  assert.equal(
    [data.name, data.limit, data.limitRemaining, data.limitReset, data.expiresAt, data.creatorUserId, data.label],
    ['laptop', 2.5, 2.5, 'daily', expiresAt, 'ann', maskKey(key)],
  );
  assert.is((await clientOf(key, 1).apiKeys.getCurrentKeyMetadata()).data.limit, 2.5);
  await clientOf(key, 2).chat.send({ chatRequest: HELLO });
  const { hash } = data;
  const shown = (await manager.apiKeys.get({ hash })).data;
  assert.ok(shown.usage > 0 && shown.usageDaily === shown.usage && (shown.limitRemaining as number) < 2.5);
  const listed = (await manager.apiKeys.list()).data;
  assert.equal(listed[0], shown);
  const updated = await manager.apiKeys.update({ hash, requestBody: { name: 'new', limit: 0, limitReset: null } });
  assert.equal([updated.data.name, updated.data.limit, updated.data.limitReset], ['new', 0, null]);
  assert.is(await statusOf(clientOf(key, 1).chat.send({ chatRequest: HELLO })), 402);
  const disabled = await manager.apiKeys.update({ hash, requestBody: { disabled: true } });
  assert.is(disabled.data.disabled, true);
  assert.is(await statusOf(clientOf(key, 2).chat.send({ chatRequest: HELLO })), 401);
  assert.is((await manager.apiKeys.list()).data.length, listed.length - 1);
  const all = (await manager.apiKeys.list({ includeDisabled: true })).data;
  assert.equal(
    all.map(({ name }) => name),
    ['new', 'test'],
  );
  assert.equal(
    (await manager.apiKeys.list({ offset: 1 })).data.map(({ name }) => name),
    [],
  );
  assert.equal(await manager.apiKeys.delete({ hash }), { deleted: true });
  assert.is(await statusOf(manager.apiKeys.get({ hash })), 404);
});

it('throws the error class of each refusal', async () => {
  const own = clientOf(inference);
  assert.is(await statusOf(own.apiKeys.list()), 403);
  assert.is(await statusOf(own.apiKeys.create({ requestBody: { name: 'k' } })), 403);
  assert.is(await statusOf(manager.apiKeys.create({ requestBody: { name: '' } })), 400);
  assert.is(await statusOf(clientOf(`sk-gw-v1-${'0'.repeat(64)}`).apiKeys.list()), 401);
  assert.is(await statusOf(manager.chat.send({ chatRequest: HELLO })), 403);
});

it('keeps workspaces: their members, budgets and keys', async () => {
  const { workspaces } = manager;
  const made = await workspaces.create({ createWorkspaceRequest: { name: 'Team', slug: 'sdk-team' } });
  const { id } = made.data;
  const page = await workspaces.list();
  assert.equal(
    page.result.data.map(({ slug }) => slug),
    ['default', 'sdk-team'],
  );
  const added = await workspaces.bulkAddMembers({ id, bulkAddWorkspaceMembersRequest: { userIds: ['ann', 'bob'] } });
  assert.is(added.addedCount, 2);
  const budget = await workspaces.setBudget({
    workspaceRef: id,
    interval: 'monthly',
    upsertWorkspaceBudgetRequest: { limitUsd: 5 },
  });
  assert.equal([budget.data.limitUsd, budget.data.resetInterval], [5, 'monthly']);
  const { data, key } = await manager.apiKeys.create({ requestBody: { name: 'k', workspaceId: id } });
  assert.is(data.workspaceId, id);
  await clientOf(key, 1).chat.send({ chatRequest: HELLO });
  assert.is((await workspaces.listBudgets({ workspaceRef: id })).data.length, 1);
  assert.is((await workspaces.update({ id, updateWorkspaceRequest: { name: 'Squad' } })).data.name, 'Squad');
  assert.is(await statusOf(workspaces.delete({ id })), 409);
  await manager.apiKeys.delete({ hash: data.hash });
  assert.is((await workspaces.delete({ id })).deleted, true);
  assert.is(await statusOf(workspaces.get({ id })), 404);
});

test.run();
