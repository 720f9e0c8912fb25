import type { WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { limitOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
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
import { bodyReader } from '../wire/body-reader.ts';
import type { Managing } from '../wire/managing.ts';
import { budgetObject, memberObject, workspaceObject } from './workspace-object.ts';

const PAGE = { usual: 50, most: 100 } as const;
const createBody = bodyReader(workspaceCreateSchema);
const editBody = bodyReader(workspaceEditSchema);
const addBody = bodyReader(membersAddSchema);
const removeBody = bodyReader(membersRemoveSchema);
const budgetBody = bodyReader(budgetSetSchema);

/** The workspaces of the account of a management key; each is named by its id or slug. (rule K22) */
export function workspaceRoutes(parts: Managing): readonly Route[] {
  type Answer = (context: RequestContext, parts: Managing) => Promise<RouteAnswer>;
  const route = (method: Method, path: string, answer: Answer, body: Route['body']): Route => ({
    method,
    path,
    policy: 'management',
    body,
    answer: (context) => answer(context, parts),
  });
  const reads = (path: string, answer: Answer): Route => route('GET', path, answer, 'none');
  const takes = (method: Method, path: string, answer: Answer): Route => route(method, path, answer, 'json');
  return [
    reads('/workspaces', list),
    takes('POST', '/workspaces', create),
    reads('/workspaces/:id', show),
    takes('PATCH', '/workspaces/:id', edit),
    route('DELETE', '/workspaces/:id', remove, 'none'),
    reads('/workspaces/:id/members', listMembers),
    takes('POST', '/workspaces/:id/members/add', add),
    takes('POST', '/workspaces/:id/members/remove', removeFrom),
    reads('/workspaces/:id/budgets', listBudgets),
    reads('/workspaces/:id/budgets/:interval', showBudget),
    takes('PUT', '/workspaces/:id/budgets/:interval', setBudget),
    route('DELETE', '/workspaces/:id/budgets/:interval', endBudget, 'none'),
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
  const made = await openWorkspace(services, tenantOf(context), createBody(context));
  return { ...json({ data: workspaceObject(made, null) }), status: 201 };
}

async function show(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const workspace = await named(context, { services, tenantOf });
  return json({ data: workspaceObject(workspace, await budgetLeft(services, workspace)) });
}

async function edit(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const after = await editWorkspace(services, tenantOf(context), changeOf(context, editBody));
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
  const change = changeOf(context, addBody);
  const { before, after, users } = await addMembersTo(services, tenantOf(context), change);
  const data = after.members.filter(({ user }) => users.includes(user)).map((one) => memberObject(after, one));
  return json({ data, added_count: after.members.length - before.members.length });
}

async function removeFrom(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const change = changeOf(context, removeBody);
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
  const change = { ...changeOf(context, budgetBody), interval: paramOf(context, 'interval') };
  const after = await putBudget(services, tenantOf(context), change);
  return json({ data: budgetObject(after, requireBudget(after, change.interval)) });
}

async function endBudget(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const name = { name: paramOf(context, 'id'), interval: paramOf(context, 'interval') };
  await removeBudget(services, tenantOf(context), name);
  return json({ deleted: true });
}

function changeOf(context: RequestContext, read: (context: RequestContext) => unknown): NamedChange {
  return { name: paramOf(context, 'id'), input: read(context) };
}

function named(context: RequestContext, { services, tenantOf }: Managing): Promise<WorkspaceRecord> {
  return requireWorkspace(services, tenantOf(context).account, paramOf(context, 'id'));
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
