import {
  BUDGET_INTERVALS,
  type BudgetInterval,
  type WorkspaceBudget,
  type WorkspaceRecord,
  type WorkspaceSettings,
} from '../../../actors/terms/workspace.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { limitOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { Method } from '../../http/http-router.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { configuredRouting } from '../../routing/workspaces.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';
import { amountOf } from '../keys/provision.ts';
import { tenantOf } from '../keys/tenant.ts';
import { bodyReader } from '../wire/body-reader.ts';
import { renderExact } from '../wire/exact-json.ts';
import {
  accountWorkspaces,
  budgetLeft,
  changeBudget,
  changeMembers,
  editWorkspace,
  openWorkspace,
  removeWorkspace,
  requireWorkspace,
} from './manage.ts';
import { budgetObject, memberObject, workspaceObject } from './workspace-object.ts';
import {
  budgetSetSchema,
  membersAddSchema,
  membersRemoveSchema,
  type WorkspaceEditBody,
  workspaceCreateSchema,
  workspaceEditSchema,
} from './workspace-schema.ts';

const PAGE = { usual: 50, most: 100 } as const;
const SLUG_CHARACTERS_MAX = 50;
const createBody = bodyReader(workspaceCreateSchema);
const editBody = bodyReader(workspaceEditSchema);
const addBody = bodyReader(membersAddSchema);
const removeBody = bodyReader(membersRemoveSchema);
const budgetBody = bodyReader(budgetSetSchema);

type Answer = Route['answer'];
const reads = (path: string, answer: Answer): Route => route('GET', path, answer, 'none');
const takes = (method: Method, path: string, answer: Answer): Route => route(method, path, answer, 'json');
const route = (method: Method, path: string, answer: Answer, body: Route['body']): Route => ({
  ...{ method, path, policy: 'management', body, answer },
});

/** The workspaces of the account of a management key; each is named by its id or slug. (conventions 1.4) */
export const workspaceRoutes: readonly Route[] = [
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
  takes('PUT', '/workspaces/:id/budgets/:interval', putBudget),
  route('DELETE', '/workspaces/:id/budgets/:interval', removeBudget, 'none'),
];

async function list(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const offset = wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0 });
  const limit = limitOf(query, PAGE);
  const all = await accountWorkspaces(edge.services, tenantOf(context, edge).account);
  const data = all.slice(offset, offset + limit).map((one) => workspaceObject(one));
  return json({ data, total_count: all.length });
}

async function create(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const body = createBody(context);
  const settings: WorkspaceSettings = {
    ...configuredRouting(edge.services.inference.config),
    ...{ description: null, name: body.name, slug: slugOf(body.name) },
    ...settingsOf(body),
  };
  const made = await openWorkspace(edge.services, tenantOf(context, edge), settings);
  return { ...json({ data: workspaceObject(made, null) }), status: 201 };
}

/** The slug of a name: its Latin letters and digits in lower case. Throws 400 for a name without any. */
function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, SLUG_CHARACTERS_MAX).replace(/-$/, '');
  if (slug === '') throw invalid('slug is required for a name without Latin letters or digits');
  return slug;
}

function settingsOf(body: WorkspaceEditBody): Partial<WorkspaceSettings> {
  return {
    ...(body.name == null ? {} : { name: body.name }),
    ...(body.slug == null ? {} : { slug: body.slug }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.zdr == null ? {} : { zeroRetention: body.zdr }),
    ...(body.partition == null ? {} : { partition: body.partition }),
    ...(body.allowed_providers === undefined ? {} : { allowed: body.allowed_providers }),
    ...(body.ignored_providers == null ? {} : { ignored: body.ignored_providers }),
  };
}

async function show(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const workspace = await named(context, edge);
  return json({ data: workspaceObject(workspace, await budgetLeft(edge.services, workspace)) });
}

async function edit(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const change = { name: paramOf(context, 'id'), settings: settingsOf(editBody(context)) };
  const after = await editWorkspace(edge.services, tenantOf(context, edge), change);
  return json({ data: workspaceObject(after, await budgetLeft(edge.services, after)) });
}

async function remove(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  await removeWorkspace(edge.services, tenantOf(context, edge), paramOf(context, 'id'));
  return json({ deleted: true });
}

async function listMembers(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const workspace = await named(context, edge);
  const data = workspace.members.map((one) => memberObject(workspace, one));
  return json({ data, total_count: data.length });
}

async function add(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { user_ids: users, role } = addBody(context);
  const change = { name: paramOf(context, 'id'), users, role: role ?? ('member' as const) };
  const { before, after } = await changeMembers(edge.services, tenantOf(context, edge), change);
  const data = after.members.filter(({ user }) => users.includes(user)).map((one) => memberObject(after, one));
  return json({ data, added_count: after.members.length - before.members.length });
}

async function removeFrom(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { user_ids: users } = removeBody(context);
  const change = { name: paramOf(context, 'id'), users, role: null };
  const { before, after } = await changeMembers(edge.services, tenantOf(context, edge), change);
  return json({ removed_count: before.members.length - after.members.length });
}

async function listBudgets(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const workspace = await named(context, edge);
  const data = workspace.budgets.map((one) => budgetObject(workspace, one));
  return json({ data, include_byok_in_budgets: false });
}

async function showBudget(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const workspace = await named(context, edge);
  return json({ data: budgetObject(workspace, requireBudget(workspace, intervalOf(context))) });
}

async function putBudget(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const interval = intervalOf(context);
  const limit = amountOf('limit_usd', budgetBody(context).limit_usd);
  const change = { name: paramOf(context, 'id'), interval, limit };
  const after = await changeBudget(edge.services, tenantOf(context, edge), change);
  return json({ data: budgetObject(after, requireBudget(after, interval)) });
}

async function removeBudget(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const interval = intervalOf(context);
  requireBudget(await named(context, edge), interval);
  await changeBudget(edge.services, tenantOf(context, edge), { name: paramOf(context, 'id'), interval, limit: null });
  return json({ deleted: true });
}

function requireBudget({ budgets }: WorkspaceRecord, interval: BudgetInterval): WorkspaceBudget {
  const found = budgets.find((one) => one.interval === interval);
  if (found === undefined) throw notFound('No such budget');
  return found;
}

function intervalOf(context: RequestContext): BudgetInterval {
  const interval = BUDGET_INTERVALS.find((one) => one === paramOf(context, 'interval'));
  if (interval === undefined) throw invalid(`The interval of a budget must be one of ${BUDGET_INTERVALS.join(', ')}`);
  return interval;
}

function named(context: RequestContext, edge: EdgeRoutes): Promise<WorkspaceRecord> {
  return requireWorkspace(edge.services, tenantOf(context, edge).account, paramOf(context, 'id'));
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
