import type { KeyView } from '../../../actors/key/statement.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { flagOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import { isQuarantined } from '../../management/ask-each.ts';
import { keyCreateSchema, keyEditSchema, keyImportSchema } from '../../management/key-schema.ts';
import { changeKeyOf, importKey, makeKey, requireKey, revokeKey } from '../../management/keys.ts';
import { type KeyListing, type ListedKey, listKeys } from '../../management/list-keys.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { bodyReader } from '../wire/body-reader.ts';
import { keyObject } from './key-object.ts';
import { tenantOf } from './tenant.ts';

/** Keys of one page. */
const KEYS_PER_PAGE = 100;
/** Larger offsets would read the whole history of an account. */
const OFFSET_MAX = 100_000;
const KINDS = ['inference', 'management', 'provider', 'all'] as const;
const createBody = bodyReader(keyCreateSchema);
const importBody = bodyReader(keyImportSchema);
const editBody = bodyReader(keyEditSchema);

/** The keys of the account of a management key. (rule K15) */
export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/keys', policy: 'management', body: 'none', answer: list },
  { method: 'POST', path: '/keys', policy: 'management', body: 'json', answer: create },
  { method: 'POST', path: '/keys/import', policy: 'management', body: 'json', answer: importLegacy },
  { method: 'GET', path: '/keys/:hash', policy: 'management', body: 'none', answer: show },
  { method: 'PATCH', path: '/keys/:hash', policy: 'management', body: 'json', answer: edit },
  { method: 'DELETE', path: '/keys/:hash', policy: 'management', body: 'none', isNeverShed: true, answer: revoke },
];

async function list(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const query = listedBy(new URLSearchParams(context.query));
  const listed = await listKeys(edge.services, tenantOf(context, edge), query);
  return json({ data: listed.map(({ state }) => keyObject(loaded(state))) });
}

/** A page is whole or refused: with one key whose state does not load it is refused. */
function loaded(state: ListedKey['state']): KeyView {
  if (isQuarantined(state)) {
    throw new GatewayError({ status: 500, type: 'server', message: 'Internal Server Error', detail: state.fault });
  }
  return state;
}

function listedBy(query: URLSearchParams): KeyListing {
  const kind = KINDS.find((one) => one === (textOf(query, 'kind') ?? 'inference'));
  if (kind === undefined) throw invalid(`kind must be one of ${KINDS.join(', ')}`);
  return {
    offset: wholeNumber('offset', textOf(query, 'offset') ?? '0', { least: 0, most: OFFSET_MAX }),
    limit: KEYS_PER_PAGE,
    includesDisabled: flagOf(query, 'include_disabled'),
    includesRevoked: flagOf(query, 'include_revoked'),
    kind,
    workspace: textOf(query, 'workspace_id'),
  };
}

async function create(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { view, text } = await makeKey(edge.services, tenantOf(context, edge), createBody(context));
  return { ...json({ data: keyObject(view), key: text }), status: 201, headers: ['cache-control', 'no-store'] };
}

async function importLegacy(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const view = await importKey(edge.services, tenantOf(context, edge), importBody(context));
  return { ...json({ data: keyObject(view) }), status: 201 };
}

async function show(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  return json({ data: keyObject(await requireKey(edge.services, tenantOf(context, edge), nameOf(context))) });
}

async function edit(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const change = { name: nameOf(context), input: editBody(context) };
  return json({ data: keyObject(await changeKeyOf(edge.services, tenantOf(context, edge), change)) });
}

async function revoke(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  await revokeKey(edge.services, tenantOf(context, edge), nameOf(context));
  return json({ deleted: true });
}

function nameOf(context: RequestContext): { readonly handle: string } {
  return { handle: paramOf(context, 'hash') };
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
