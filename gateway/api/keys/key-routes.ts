import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { flagOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { invalid } from '../../terms/invalid.ts';
import { bodyReader } from '../wire/body-reader.ts';
import { renderExact } from '../wire/exact-json.ts';
import { keyObject } from './key-object.ts';
import { keyCreateSchema, keyEditSchema, keyImportSchema } from './key-schema.ts';
import {
  createAccountKey,
  editAccountKey,
  importAccountKey,
  type ListedKeys,
  listAccountKeys,
  requireKey,
  revokeAccountKey,
} from './provision.ts';
import { tenantOf } from './tenant.ts';

/** Larger offsets would read the whole history of an account. */
const OFFSET_MAX = 100_000;
const KINDS = ['inference', 'management', 'provider', 'all'] as const;
const createBody = bodyReader(keyCreateSchema);
const importBody = bodyReader(keyImportSchema);
const editBody = bodyReader(keyEditSchema);

/** The keys of the account of a management key. (conventions 1.3) */
export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/keys', policy: 'management', body: 'none', answer: list },
  { method: 'POST', path: '/keys', policy: 'management', body: 'json', answer: create },
  { method: 'POST', path: '/keys/import', policy: 'management', body: 'json', answer: importKey },
  { method: 'GET', path: '/keys/:hash', policy: 'management', body: 'none', answer: show },
  { method: 'PATCH', path: '/keys/:hash', policy: 'management', body: 'json', answer: edit },
  { method: 'DELETE', path: '/keys/:hash', policy: 'management', body: 'none', isNeverShed: true, answer: revoke },
];

async function list(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const query = listedBy(new URLSearchParams(context.query));
  const views = await listAccountKeys(edge.services, tenantOf(context, edge), query);
  return json({ data: views.map(keyObject) });
}

function listedBy(query: URLSearchParams): ListedKeys {
  const kind = KINDS.find((one) => one === (textOf(query, 'kind') ?? 'inference'));
  if (kind === undefined) throw invalid(`kind must be one of ${KINDS.join(', ')}`);
  return {
    offset: wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0, most: OFFSET_MAX }),
    includesDisabled: flagOf(query, 'include_disabled'),
    includesRevoked: flagOf(query, 'include_revoked'),
    kind,
    workspace: textOf(query, 'workspace_id'),
  };
}

async function create(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const body = createBody(context);
  const { view, text } = await createAccountKey(edge.services, tenantOf(context, edge), body);
  return { ...json({ data: keyObject(view), key: text }), status: 201, headers: ['cache-control', 'no-store'] };
}

async function importKey(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const view = await importAccountKey(edge.services, tenantOf(context, edge), importBody(context));
  return { ...json({ data: keyObject(view) }), status: 201 };
}

async function show(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const view = await requireKey(edge.services, tenantOf(context, edge), paramOf(context, 'hash'));
  return json({ data: keyObject(view) });
}

async function edit(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const change = { handle: paramOf(context, 'hash'), body: editBody(context) };
  return json({ data: keyObject(await editAccountKey(edge.services, tenantOf(context, edge), change)) });
}

async function revoke(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  await revokeAccountKey(edge.services, tenantOf(context, edge), paramOf(context, 'hash'));
  return json({ deleted: true });
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
