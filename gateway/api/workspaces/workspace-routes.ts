import type { TObject } from 'typebox';
import type { WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { jsonBody } from '../../edge/body/route-body.ts';
import { limitOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { Method } from '../../http/http-router.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import {
  addMembersTo,
  type NamedChange,
  putBudget,
  removeBudget,
  removeMembersFrom,
  requireBudget,
} from '../../management/workspace-members.ts';
import {
  budgetSetSchema,
  membersAddSchema,
  membersRemoveSchema,
  workspaceCreateSchema,
  workspaceEditSchema,
} from '../../management/workspace-schema.ts';
import {
  accountWorkspaces,
  budgetLeft,
  editWorkspace,
  openWorkspace,
  removeWorkspace,
  requireWorkspace,
} from '../../management/workspaces.ts';
import { deletedSchema } from '../keys/key-schema.ts';
import type { Managing } from '../wire/managing.ts';
import { limitTo, type Operations, offset } from '../wire/operation.ts';
import { budgetObject, memberObject, workspaceObject } from './workspace-object.ts';
import {
  budgetListSchema,
  budgetReplySchema,
  memberListSchema,
  membersAddedSchema,
  membersRemovedSchema,
  workspaceListSchema,
  workspaceReplySchema,
} from './workspace-schema.ts';

const PAGE = { usual: 50, most: 100 } as const;

const workspaceId = { id: 'Id or slug of the workspace.' };
const INTERVAL = 'daily, weekly, monthly or lifetime.';

/** What the document says of the routes. */
export const WORKSPACE_OPERATIONS: Operations = {
  'GET /workspaces': {
    key: 'management',
    summary: 'The workspaces of the account, the default one first',
    description: 'A workspace sets routing rules and budgets for its keys.',
    answers: 'A page of workspaces.',
    query: { offset, limit: limitTo(100) },
    reply: { WorkspaceList: workspaceListSchema },
  },
  'POST /workspaces': {
    key: 'management',
    summary: 'Creates a workspace',
    description: 'What the body leaves out is as the service is configured.',
    answers: 'The new workspace.',
    body: { WorkspaceCreate: workspaceCreateSchema },
    namesUnread: true,
    reply: { Workspace: workspaceReplySchema },
    status: 201,
  },
  'GET /workspaces/{id}': {
    key: 'management',
    summary: 'One workspace, by id or slug',
    description: 'With what is left of its tightest budget.',
    answers: 'The workspace with its settings.',
    path: workspaceId,
    reply: { Workspace: workspaceReplySchema },
  },
  'PATCH /workspaces/{id}': {
    key: 'management',
    summary: 'Changes a workspace',
    description: 'A member that is left out stays; null removes a description or a list of allowed providers.',
    answers: 'The workspace as it is now.',
    path: workspaceId,
    body: { WorkspaceEdit: workspaceEditSchema },
    namesUnread: true,
    reply: { Workspace: workspaceReplySchema },
  },
  'DELETE /workspaces/{id}': {
    key: 'management',
    summary: 'Deletes a workspace without keys',
    description: 'The default workspace is 403, one with keys 409.',
    answers: 'The workspace is deleted.',
    path: workspaceId,
    reply: { Deleted: deletedSchema },
  },
  'GET /workspaces/{id}/members': {
    key: 'management',
    summary: 'Members of a workspace',
    description: 'Keys of the workspace can be assigned to them.',
    answers: 'Every member of the workspace.',
    path: workspaceId,
    reply: { MemberList: memberListSchema },
  },
  'POST /workspaces/{id}/members/add': {
    key: 'management',
    summary: 'Adds members, or changes their role',
    description: 'A member that exists gets the role of the body.',
    answers: 'The named members, and how many are new.',
    path: workspaceId,
    body: { MembersAdd: membersAddSchema },
    namesUnread: true,
    reply: { MembersAdded: membersAddedSchema },
  },
  'POST /workspaces/{id}/members/remove': {
    key: 'management',
    summary: 'Removes members without keys',
    description: 'All of them or none: a member with keys is 409.',
    answers: 'How many members were removed.',
    path: workspaceId,
    body: { MembersRemove: membersRemoveSchema },
    namesUnread: true,
    reply: { MembersRemoved: membersRemovedSchema },
  },
  'GET /workspaces/{id}/budgets': {
    key: 'management',
    summary: 'Budgets of a workspace',
    description: 'At most one for each interval.',
    answers: 'Every budget of the workspace.',
    path: workspaceId,
    reply: { BudgetList: budgetListSchema },
  },
  'GET /workspaces/{id}/budgets/{interval}': {
    key: 'management',
    summary: 'One budget of a workspace',
    description: 'The amount that its keys may spend in the interval.',
    answers: 'The budget with its amount.',
    path: { ...workspaceId, interval: INTERVAL },
    reply: { Budget: budgetReplySchema },
  },
  'PUT /workspaces/{id}/budgets/{interval}': {
    key: 'management',
    summary: 'Sets a budget of a workspace',
    description: 'Charges of the interval and open holds together never exceed it when a request is admitted.',
    answers: 'The budget as it is now.',
    path: { ...workspaceId, interval: INTERVAL },
    body: { BudgetSet: budgetSetSchema },
    namesUnread: true,
    reply: { Budget: budgetReplySchema },
  },
  'DELETE /workspaces/{id}/budgets/{interval}': {
    key: 'management',
    summary: 'Removes a budget of a workspace',
    description: 'Its keys are bounded by their limits and the balance alone.',
    answers: 'The budget is removed.',
    path: { ...workspaceId, interval: INTERVAL },
    reply: { Deleted: deletedSchema },
  },
};

/** The workspaces of the account of a management key; each is named by its id or slug. (rule K22) */
export function workspaceRoutes(parts: Managing): readonly Route[] {
  type Answer = (context: RequestContext, parts: Managing) => Promise<RouteAnswer>;
  const route = (method: Method, path: string, answer: Answer): Route => ({
    method,
    path,
    policy: 'management',
    answer: (context) => answer(context, parts),
  });
  const reads = (path: string, answer: Answer): Route => route('GET', path, answer);
  const takes = (method: Method, path: string, answer: Answer, schema: TObject): Route => ({
    ...route(method, path, answer),
    body: jsonBody(schema),
  });
  return [
    reads('/workspaces', list),
    takes('POST', '/workspaces', create, workspaceCreateSchema),
    reads('/workspaces/:id', show),
    takes('PATCH', '/workspaces/:id', edit, workspaceEditSchema),
    route('DELETE', '/workspaces/:id', remove),
    reads('/workspaces/:id/members', listMembers),
    takes('POST', '/workspaces/:id/members/add', add, membersAddSchema),
    takes('POST', '/workspaces/:id/members/remove', removeFrom, membersRemoveSchema),
    reads('/workspaces/:id/budgets', listBudgets),
    reads('/workspaces/:id/budgets/:interval', showBudget),
    takes('PUT', '/workspaces/:id/budgets/:interval', setBudget, budgetSetSchema),
    route('DELETE', '/workspaces/:id/budgets/:interval', endBudget),
  ];
}

async function list(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const offset = wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0 });
  const limit = limitOf(query, PAGE);
  const all = await accountWorkspaces(services, tenantOf(context).account);
  const data = all.slice(offset, offset + limit).map((one) => workspaceObject(one));
  return json({ data, total_count: all.length });
}

async function create(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const made = await openWorkspace(services, tenantOf(context), takeBody(context).value);
  return { ...json({ data: workspaceObject(made, null) }), status: 201 };
}

async function show(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const workspace = await named(context, { services, tenantOf });
  return json({ data: workspaceObject(workspace, await budgetLeft(services, workspace)) });
}

async function edit(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const after = await editWorkspace(services, tenantOf(context), changeOf(context));
  return json({ data: workspaceObject(after, await budgetLeft(services, after)) });
}

async function remove(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  await removeWorkspace(services, tenantOf(context), paramOf(context, 'id'));
  return json({ deleted: true });
}

async function listMembers(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const workspace = await named(context, { services, tenantOf });
  const data = workspace.members.map((one) => memberObject(workspace, one));
  return json({ data, total_count: data.length });
}

async function add(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const change = changeOf(context);
  const { before, after, users } = await addMembersTo(services, tenantOf(context), change);
  const data = after.members.filter(({ user }) => users.includes(user)).map((one) => memberObject(after, one));
  return json({ data, added_count: after.members.length - before.members.length });
}

async function removeFrom(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const change = changeOf(context);
  const { before, after } = await removeMembersFrom(services, tenantOf(context), change);
  return json({ removed_count: before.members.length - after.members.length });
}

async function listBudgets(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const workspace = await named(context, { services, tenantOf });
  const data = workspace.budgets.map((one) => budgetObject(workspace, one));
  return json({ data, include_byok_in_budgets: false });
}

async function showBudget(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const workspace = await named(context, { services, tenantOf });
  return json({ data: budgetObject(workspace, requireBudget(workspace, paramOf(context, 'interval'))) });
}

async function setBudget(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const change = { ...changeOf(context), interval: paramOf(context, 'interval') };
  const after = await putBudget(services, tenantOf(context), change);
  return json({ data: budgetObject(after, requireBudget(after, change.interval)) });
}

async function endBudget(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const name = { name: paramOf(context, 'id'), interval: paramOf(context, 'interval') };
  await removeBudget(services, tenantOf(context), name);
  return json({ deleted: true });
}

function changeOf(context: RequestContext): NamedChange {
  return { name: paramOf(context, 'id'), input: takeBody(context).value };
}

function named(context: RequestContext, { services, tenantOf }: Managing): Promise<WorkspaceRecord> {
  return requireWorkspace(services, tenantOf(context).account, paramOf(context, 'id'));
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
