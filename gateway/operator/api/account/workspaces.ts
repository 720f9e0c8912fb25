/** Workspaces of accounts. Their members are those of the public API, which checks them with the same functions. */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { type Cluster, ownerOf, parseAddress } from '../../../../actors/runtime/index.ts';
import { accountAddress, isWorkspaceId, workspaceAddress } from '../../../../actors/terms/ids.ts';
import { BUDGET_INTERVALS, type WorkspaceRecord } from '../../../../actors/terms/workspace.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import { addMembersTo, putBudget, removeBudget, removeMembersFrom } from '../../../management/workspace-members.ts';
import {
  membersAddSchema,
  membersRemoveSchema,
  workspaceCreateSchema,
  workspaceEditSchema,
} from '../../../management/workspace-schema.ts';
import {
  accountWorkspaces,
  editWorkspace,
  openWorkspace,
  removeWorkspace,
  requireWorkspace,
} from '../../../management/workspaces.ts';
import { findAddress } from '../../find-address.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listOf } from '../../http/pages.ts';
import { type ManagementParts, requireAccount, servicesOf, tenantOf } from './managing.ts';

const WORKSPACE = Type.Object({}, { description: 'the workspace as it is then' });

export const workspaceRoutes = (parts: ManagementParts): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/workspaces',
    policy: 'viewer',
    summary: 'The workspaces of an account, the default one first.',
    answers: listOf(Type.Object({}, { description: 'one workspace' })),
    answer: async ({ cluster, params: { id } }) => {
      await requireAccount(cluster, id);
      return { data: await accountWorkspaces(servicesOf(parts, cluster), id), next: null };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/workspaces/:workspace',
    policy: 'viewer',
    summary: 'One workspace with its members and budgets.',
    answer: async ({ cluster, params }) => {
      const { account, id } = await workspaceIn(cluster, params.workspace);
      return requireWorkspace(servicesOf(parts, cluster), account, id);
    },
  }),
  change({
    path: '/api/accounts/:id/workspaces',
    summary: 'Create a workspace; what is left out is as configured.',
    members: { workspace: workspaceCreateSchema },
    answers: { workspace: WORKSPACE },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { name } = body.workspace;
      await requireAccount(cluster, params.id);
      return {
        would: `create the workspace ${name} of ${params.id}`,
        command: `troupe workspaces create ${params.id} ${quoted(name)} --reason ${quoted(body.reason)}`,
        audit: { action: 'workspace.create', target: accountAddress(params.id), detail: { name } },
        run: async () => {
          const services = servicesOf(parts, cluster);
          const workspace = await openWorkspace(services, tenantOf(params.id, request), body.workspace);
          return { did: `created ${addressOf(workspace)}`, workspace };
        },
      };
    },
  }),
  ...changesOf(parts),
];

const changesOf = (parts: ManagementParts): readonly OperatorRoute[] => [
  ofWorkspace(parts, '', {
    summary: 'Change what the keys of a workspace are routed by.',
    members: { change: workspaceEditSchema },
    words: ({ change: edit }) => [`change ${Object.keys(edit).join(', ')} of`, 'set', ''],
    run: (services, tenant, { name, body }) => editWorkspace(services, tenant, { name, input: body.change }),
  }),
  ofWorkspace(parts, '/members/add', {
    summary: 'Add members to a workspace, or change their role.',
    members: { members: membersAddSchema },
    words: ({ members: { user_ids: users, role } }) => [
      `add ${users.join(', ')} to`,
      'add-member',
      `${quoted(users[0] ?? '')}${role === 'admin' ? ' --admin' : ''}`,
    ],
    run: async (services, tenant, { name, body }) =>
      (await addMembersTo(services, tenant, { name, input: body.members })).after,
  }),
  ofWorkspace(parts, '/members/remove', {
    summary: 'Remove members from a workspace.',
    members: { members: membersRemoveSchema },
    words: ({ members: { user_ids: users } }) => [
      `remove ${users.join(', ')} from`,
      'remove-member',
      quoted(users[0] ?? ''),
    ],
    run: async (services, tenant, { name, body }) =>
      (await removeMembersFrom(services, tenant, { name, input: body.members })).after,
  }),
  ofWorkspace(parts, '/budget', {
    summary: 'Set a budget of a workspace, or remove it.',
    members: {
      interval: Type.String({ description: BUDGET_INTERVALS.join(', ') }),
      usd: Type.Union([Type.String(), Type.Null()], { description: 'what its keys may spend; null: no budget' }),
    },
    words: ({ interval, usd }) => [
      `set the ${interval} budget to ${usd ?? 'none'} of`,
      'budget',
      `${interval} ${usd ?? 'none'}`,
    ],
    run: (services, tenant, { name, body: { interval, usd } }) =>
      usd === null
        ? removeBudget(services, tenant, { name, interval })
        : putBudget(services, tenant, { name, interval, input: { limit_usd: usd } }),
  }),
  ofWorkspace(parts, '/delete', {
    summary: 'Delete a workspace without keys.',
    members: {},
    words: () => ['delete', 'delete', ''],
    run: async (services, tenant, { name }) => {
      await removeWorkspace(services, tenant, name);
      return null;
    },
  }),
];

type BodyOf<Members extends TProperties> = Static<TObject<Members>>;

interface WorkspaceChange<Body> {
  readonly summary: string;
  readonly members: TProperties;
  /** In words before the workspace; the command, and its arguments behind the workspace. */
  readonly words: (body: Body) => readonly [would: string, verb: string, more: string];
  readonly run: (
    services: ManagementServices,
    tenant: Tenant,
    asked: { readonly name: string; readonly body: Body },
  ) => Promise<WorkspaceRecord | null>;
}

/** The route of a change of one workspace, which stays unless it is deleted. */
function ofWorkspace<Members extends TProperties>(
  parts: ManagementParts,
  path: '' | `/${string}`,
  { summary, members, words, run }: WorkspaceChange<BodyOf<Members>> & { readonly members: Members },
): OperatorRoute {
  return change({
    path: `/api/workspaces/:workspace${path}` as '/api/workspaces/:workspace',
    summary,
    members,
    answers: { workspace: Type.Union([WORKSPACE, Type.Null()]) },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params } = request;
      const body = request.body as BodyOf<Members> & typeof request.body;
      const { account, id } = await workspaceIn(cluster, params.workspace);
      const [would, verb, more] = words(body);
      const command = `troupe workspaces ${verb} ${account}/${id}${more === '' ? '' : ` ${more}`}`;
      const target = workspaceAddress(account, id);
      return {
        would: `${would} ${target}`,
        command: `${command} --reason ${quoted(body.reason)}`,
        audit: { action: `workspace.${verb}`, target, detail: {} },
        run: async () => {
          const services = servicesOf(parts, cluster);
          const workspace = await run(services, tenantOf(account, request), { name: id, body });
          return { did: `${would} ${target}`, workspace };
        },
      };
    },
  });
}

interface FoundWorkspace {
  readonly account: string;
  readonly id: string;
}

/** `ws_...`, `acct_1/ws_...` or `workspace:acct_1/ws_...`; the default one has no row before its first change. */
async function workspaceIn({ rows }: Cluster, text: string): Promise<FoundWorkspace> {
  const short = text.replace(/^workspace:/, '');
  const address = short.includes('/') ? `workspace:${short}` : await findAddress(rows, short);
  const parsed = address === null ? null : parseAddress(address);
  if (address === null || parsed?.local == null || !isWorkspaceId(parsed.local)) throw isAbsent(text);
  return { account: ownerOf(address), id: parsed.local };
}

function addressOf({ account, id }: WorkspaceRecord): string {
  return workspaceAddress(account, id);
}
