/** Keys of accounts. Their members are those of the public API, which checks them with the same functions. */
import { Type } from 'typebox';
import type { KeyView } from '../../../../actors/key/statement.ts';
import { type Cluster, ownerOf, parseAddress } from '../../../../actors/runtime/index.ts';
import { accountAddress, keyAddress } from '../../../../actors/terms/ids.ts';
import { approvalSchema, approveKey } from '../../../management/approvals.ts';
import { type KeyEditBody, keyCreateSchema, keyEditSchema } from '../../../management/key-schema.ts';
import {
  changeKeyOf,
  findKey,
  importKeyByHandle,
  type KeyName,
  type MadeKey,
  makeKey,
  revokeKey,
} from '../../../management/keys.ts';
import { type ListedKey, listKeys } from '../../../management/list-keys.ts';
import { isQuarantined, type Tenant } from '../../../management/services.ts';
import { findAddress } from '../../find-address.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, isInvalid, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listed, listOf, listQuery, pageOf } from '../../http/pages.ts';
import { type ManagementParts, requireAccount, servicesOf, tenantOf } from './managing.ts';

const KEY = Type.Object({}, { description: 'the key as it is then' });

/** A key that was just made. */
export interface CreatedKey extends Pick<KeyView, 'key' | 'label' | 'kind'> {
  readonly id: string;
  /** The text of the key: shown once, and not stored. */
  readonly secret: string;
}

/** What is known of a key whose state does not load. */
type QuarantinedKey = Pick<KeyView, 'key' | 'label' | 'name' | 'kind' | 'createdAt' | 'expiresAt'> & {
  readonly status: 'quarantined';
  readonly fault: string;
};
export type ShownKey = KeyView | QuarantinedKey;

export const keyRoutes = (parts: ManagementParts): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/keys',
    policy: 'viewer',
    summary: 'The keys of an account with limit and spend, the newest first; one that does not load is listed too.',
    query: listQuery({}),
    answers: listOf(Type.Object({}, { description: 'one key' })),
    answer: async (request) => {
      const { cluster, params, query } = request;
      const { limit, after } = pageOf(query, Type.Object({ offset: Type.Integer({ minimum: 0 }) }));
      const offset = after?.offset ?? 0;
      const page = { offset, limit: limit + 1, includesDisabled: true, includesRevoked: true } as const;
      const tenant = tenantOf(params.id, request);
      const found = await listKeys(servicesOf(parts, cluster), tenant, { ...page, kind: 'all', workspace: null });
      if (found.length === 0) await requireAccount(cluster, params.id);
      return listed(found, limit, { keyOf: () => ({ offset: offset + limit }), entryOf: shown });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/keys/:key',
    policy: 'viewer',
    summary: 'One key: its handle, limit, spend, workspace and member.',
    answer: async (request) => {
      const { account, name } = await keyIn(request.cluster, request.params.key);
      return findKey(servicesOf(parts, request.cluster), tenantOf(account, request), name);
    },
  }),
  ...madeRoutes(parts),
  change({
    path: '/api/keys/:key',
    summary: 'Change name, limit, end, workspace or member of a key, or refuse its requests until it is enabled.',
    members: { change: keyEditSchema },
    answers: { key: KEY },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { account, address, name } = await keyIn(cluster, params.key);
      const members = Object.keys(body.change);
      if (members.length === 0) throw isInvalid('change', 'must name what is changed');
      return {
        would: `change ${members.join(', ')} of ${address}`,
        command: commandsOf(shortOf(address), body.change, body.reason),
        audit: { action: 'key.change', target: address, detail: { members } },
        run: async () => {
          const edit = { name, input: body.change };
          const key = await changeKeyOf(servicesOf(parts, cluster), tenantOf(account, request), edit);
          return { did: `changed ${members.join(', ')} of ${address}`, key };
        },
      };
    },
  }),
  change({
    path: '/api/keys/:key/revoke',
    summary: 'Revoke a key for good.',
    answers: { key: KEY },
    plan: async (request): Promise<ChangePlan> => {
      const { account, address, name } = await keyIn(request.cluster, request.params.key);
      return {
        would: `revoke ${address} for good: every request with it is answered 401`,
        command: `troupe keys revoke ${shortOf(address)} --reason ${quoted(request.body.reason)}`,
        audit: { action: 'key.revoke', target: address, detail: {} },
        run: async () => {
          const key = await revokeKey(servicesOf(parts, request.cluster), tenantOf(account, request), name);
          return { did: `revoked ${address}`, key };
        },
      };
    },
  }),
];

const madeRoutes = (parts: ManagementParts): readonly OperatorRoute[] => [
  change({
    path: '/api/accounts/:id/keys',
    summary: 'Create a key; the answer alone has its text, which is not stored.',
    members: {
      key: keyCreateSchema,
      id: Type.Optional(Type.String({ description: 'with `text`: a repeat answers the same key' })),
      text: Type.Optional(Type.String({ description: 'the whole text of the key; absent: a new one' })),
    },
    answers: { key: Type.Object({}, { description: 'the key, with its text as `secret`' }) },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { kind = 'inference' } = body.key;
      await requireAccount(cluster, params.id);
      return {
        would: `create a key of kind ${kind} for ${params.id}`,
        command: `troupe keys create ${params.id} --name ${quoted(body.key.name)} --reason ${quoted(body.reason)}`,
        audit: { action: 'key.create', target: accountAddress(params.id), detail: { kind } },
        run: async () => {
          const { id, text } = body;
          const own = id === undefined || text === undefined ? undefined : { id, text };
          const made = await makeKey(servicesOf(parts, cluster), tenantOf(params.id, request), body.key, own);
          return { did: `created ${made.view.key}`, key: createdKey(made) };
        },
      };
    },
  }),
  change({
    path: '/api/accounts/:id/keys/import',
    summary: 'Import a key of the time before the prefix change by its digest; a repeat changes nothing.',
    members: { sha256: Type.String({ description: 'of its whole text, 64 hex digits' }), name: Type.String() },
    answers: { key: KEY },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { sha256: handle, name, reason } = body;
      return {
        would: `import the key ${handle} for ${params.id}`,
        command: `troupe keys import ${params.id} ${quoted(handle)} --name ${quoted(name)} --reason ${quoted(reason)}`,
        audit: { action: 'key.import', target: accountAddress(params.id), detail: { handle } },
        run: async () => {
          const tenant = tenantOf(params.id, request);
          const key = await importKeyByHandle(servicesOf(parts, cluster), tenant, { handle, name });
          return { did: `imported ${key.key}`, key };
        },
      };
    },
  }),
  change({
    path: '/api/accounts/:id/approvals',
    summary: 'Approve a key for an application; the answer alone has the one-time code that it trades for the key.',
    members: { approval: approvalSchema },
    answers: { code: Type.String(), origin: Type.String() },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { callback_url: callback, code_challenge: challenge } = body.approval;
      await requireAccount(cluster, params.id);
      return {
        would: `approve a key of ${params.id} for ${callback}`,
        command: `troupe keys approve ${params.id} ${quoted(callback)} ${challenge} --reason ${quoted(body.reason)}`,
        audit: { action: 'key.approve', target: accountAddress(params.id), detail: { callback } },
        run: async () => {
          const tenant = tenantOf(params.id, request);
          const { code, origin, limit, expiresAt } = await approveKey(
            servicesOf(parts, cluster),
            tenant,
            body.approval,
          );
          return { did: `approved a key for ${origin}`, code, origin, limit, expiresAt };
        },
      };
    },
  }),
];

export function createdKey({ view: { key, label, kind }, text }: MadeKey): CreatedKey {
  return { id: key.slice(key.indexOf('/') + 1), key, label, kind, secret: text };
}

function shown({ credential, state }: ListedKey): ShownKey {
  if (!isQuarantined(state)) return state;
  const { key, label, name, kind, createdAt, expiresAt } = credential;
  return { key, label, name, kind, createdAt, expiresAt, status: 'quarantined', fault: state.fault };
}

interface FoundKey extends Pick<Tenant, 'account'> {
  readonly address: string;
  readonly name: KeyName;
}

/** `key_9`, `acct_1/key_9` or `key:acct_1/key_9`. */
async function keyIn({ rows }: Cluster, text: string): Promise<FoundKey> {
  const address = await findAddress(rows, text.includes('/') ? `key:${text.replace(/^key:/, '')}` : text);
  const parsed = address === null ? null : parseAddress(address);
  if (address === null || parsed?.kind !== 'key' || parsed.local === null) throw isAbsent(text);
  return { account: ownerOf(address), address: keyAddress(ownerOf(address), parsed.local), name: { id: parsed.local } };
}

function shortOf(address: string): string {
  return address.replace(/^key:/, '');
}

/** A command for each member. */
function commandsOf(key: string, edit: KeyEditBody, reason: string): string {
  const { name, disabled, limit, limit_reset: window, expires_at, workspace_id, creator_user_id } = edit;
  const verbs = [
    ...(name == null ? [] : [`rename ${key} ${quoted(name)}`]),
    ...(disabled == null ? [] : [`${disabled ? 'disable' : 'enable'} ${key}`]),
    ...(limit === undefined ? [] : [`limit ${key} ${limit ?? 'none'}${window == null ? '' : ` --window ${window}`}`]),
    ...(expires_at === undefined ? [] : [`expire ${key} ${expires_at ?? 'never'}`]),
    ...(workspace_id == null ? [] : [`move ${key} ${quoted(workspace_id)}`]),
    ...(creator_user_id === undefined ? [] : [`assign ${key} ${quoted(creator_user_id ?? 'nobody')}`]),
  ];
  return verbs.map((verb) => `troupe keys ${verb} --reason ${quoted(reason)}`).join(' && ');
}
