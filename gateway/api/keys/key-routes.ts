import { Type } from 'typebox';
import { described, oneOf } from '../../dialects/request/members.ts';
import { jsonBody } from '../../edge/body/route-body.ts';
import { flagOf, textOf, wholeNumber } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import { keyCreateSchema, keyEditSchema, keyImportSchema } from '../../management/key-schema.ts';
import { changeKeyOf, importKey, makeKey, requireKey, revokeKey } from '../../management/keys.ts';
import { type KeyListing, listKeys } from '../../management/list-keys.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Managing } from '../wire/managing.ts';
import { type Operations, offset } from '../wire/operation.ts';
import { keyObject, listedKeyObject } from './key-object.ts';
import { deletedSchema, keyCreatedSchema, keyListSchema, keyReplySchema } from './key-schema.ts';

/** Keys of one page. */
const KEYS_PER_PAGE = 100;
/** Larger offsets would read the whole history of an account. */
const OFFSET_MAX = 100_000;
const KINDS = ['inference', 'management', 'provider', 'all'] as const;

const keyHash = { hash: 'SHA-256 of the text of the key, as GET /keys lists it.' };

/** What the document says of the routes. */
export const KEY_OPERATIONS: Operations = {
  'GET /keys': {
    key: 'management',
    summary: 'The keys of the account, newest first, 100 a page',
    description: 'Disabled and revoked keys are left out unless they are asked for.',
    answers: 'A page of keys, without their texts.',
    query: {
      offset,
      include_disabled: Type.Boolean({ description: 'true: lists disabled keys too.' }),
      include_revoked: Type.Boolean({ description: 'true: lists revoked keys too.' }),
      kind: described(oneOf(...KINDS), 'Only keys of this kind; all: of every kind.'),
      workspace_id: Type.String({ description: 'Only keys of this workspace, by its id or slug.' }),
    },
    reply: { KeyList: keyListSchema },
  },
  'POST /keys': {
    key: 'management',
    summary: 'Creates a key',
    description: 'An inference key, or with `kind` a management key.',
    answers: 'The key with its text, which is shown only here.',
    body: { KeyCreate: keyCreateSchema },
    namesUnread: true,
    reply: { KeyCreated: keyCreatedSchema },
    status: 201,
  },
  'POST /keys/import': {
    key: 'management',
    summary: 'Adds a key that was issued before the prefix change',
    description: 'The text of the key proves that the caller has it.',
    answers: 'The key, without its text.',
    body: { KeyImport: keyImportSchema },
    namesUnread: true,
    reply: { KeyCreated: keyCreatedSchema },
    status: 201,
  },
  'GET /keys/{hash}': {
    key: 'management',
    summary: 'One key of the account',
    description: 'With its limits, its spend and why it is refused, where it is.',
    answers: 'The key, without its text.',
    path: keyHash,
    reply: { Key: keyReplySchema },
  },
  'PATCH /keys/{hash}': {
    key: 'management',
    summary: 'Changes a key: name, limit, window, expiry, workspace, member',
    description: 'A member that is left out stays. Effective on every node within two seconds.',
    answers: 'The key as it is now.',
    path: keyHash,
    body: { KeyEdit: keyEditSchema },
    namesUnread: true,
    reply: { Key: keyReplySchema },
  },
  'DELETE /keys/{hash}': {
    key: 'management',
    summary: 'Revokes a key for good',
    description: 'Requests with it are 401 from then on; its charges stay listed.',
    answers: 'The key is revoked.',
    path: keyHash,
    reply: { Deleted: deletedSchema },
  },
};

/** The keys of the account of a management key. (rule K15) */
export function keyRoutes(parts: Managing): readonly Route[] {
  return [
    { method: 'GET', path: '/keys', policy: 'management', answer: (context) => list(context, parts) },
    {
      method: 'POST',
      path: '/keys',
      policy: 'management',
      body: jsonBody(keyCreateSchema),
      answer: (context) => create(context, parts),
    },
    {
      method: 'POST',
      path: '/keys/import',
      policy: 'management',
      body: jsonBody(keyImportSchema),
      answer: (context) => importLegacy(context, parts),
    },
    {
      method: 'GET',
      path: '/keys/:hash',
      policy: 'management',
      answer: (context) => show(context, parts),
    },
    {
      method: 'PATCH',
      path: '/keys/:hash',
      policy: 'management',
      body: jsonBody(keyEditSchema),
      answer: (context) => edit(context, parts),
    },
    {
      method: 'DELETE',
      path: '/keys/:hash',
      policy: 'management',
      isNeverShed: true,
      answer: (context) => revoke(context, parts),
    },
  ];
}

async function list(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const query = listedBy(new URLSearchParams(context.query));
  const listed = await listKeys(services, tenantOf(context), query);
  return json({ data: listed.map(listedKeyObject) });
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

async function create(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const { view, text } = await makeKey(services, tenantOf(context), takeBody(context).value);
  return { ...json({ data: keyObject(view), key: text }), status: 201, headers: ['cache-control', 'no-store'] };
}

async function importLegacy(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const view = await importKey(services, tenantOf(context), takeBody(context).value);
  return { ...json({ data: keyObject(view) }), status: 201 };
}

async function show(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  return json({ data: keyObject(await requireKey(services, tenantOf(context), nameOf(context))) });
}

async function edit(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const change = { name: nameOf(context), input: takeBody(context).value };
  return json({ data: keyObject(await changeKeyOf(services, tenantOf(context), change)) });
}

async function revoke(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  await revokeKey(services, tenantOf(context), nameOf(context));
  return json({ deleted: true });
}

function nameOf(context: RequestContext): { readonly handle: string } {
  return { handle: paramOf(context, 'hash') };
}

function json(value: object): RouteAnswer {
  return jsonAnswer(renderExact(value));
}
