/**
 * What a management key may do with the keys of its account. The pages for people and the routes call the same
 * functions. Every change is recorded in the account's audit log under `by`.
 */

import type { KeyEdit, NewKey } from '../../../actors/key/changes.ts';
import type { Credential } from '../../../actors/key/credential.ts';
import { findCredential, findKeyByHandle, pageOfKeys } from '../../../actors/key/credential.ts';
import { changeKey, createKey, editKey, moveKey, showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import {
  accountAddress,
  importedKeyId,
  isKeyHandle,
  isKeyText,
  keyAddress,
  keyDigest,
  keyHandle,
  keyId,
  keyText,
  LEGACY_KEY_PREFIX,
  maskKey,
} from '../../../actors/terms/ids.ts';
import type { KeyKind } from '../../../actors/terms/principal.ts';
import { parseUsd } from '../../../actors/terms/usd.ts';
import { shortestDecimal } from '../../dialects/request/parse-price-caps.ts';
import { instantOf } from '../../edge/query/instant-of.ts';
import type { EdgeServices } from '../../edge/services.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';
import { rejectionOf } from '../../terms/refusal-error.ts';
import { requireWorkspace } from '../workspaces/manage.ts';
import type { KeyEditBody, KeyImportBody, NewKeyBody } from './key-schema.ts';
import type { Tenant } from './tenant.ts';

/** Keys of one page, and how many keys are asked at once. */
export const KEYS_PER_PAGE = 100;
const ASKED_AT_ONCE = 20;

export interface ListedKeys {
  readonly offset: number;
  readonly includesDisabled: boolean;
  readonly includesRevoked: boolean;
  readonly kind: KeyKind | 'all';
  /** Id or slug; null lists the keys of every workspace. */
  readonly workspace: string | null;
}

/** The keys of an account, newest first. An unknown workspace has none. */
export async function listAccountKeys(
  services: EdgeServices,
  { account }: Tenant,
  { offset, includesDisabled, includesRevoked, kind, workspace }: ListedKeys,
): Promise<readonly KeyView[]> {
  const found = workspace === null ? null : await workspaceOf(services, account, workspace).catch(() => undefined);
  if (found === undefined) return [];
  const isListed = (one: Credential): boolean =>
    (kind === 'all' || one.kind === kind) &&
    (workspace === null || (one.workspace ?? null) === found) &&
    (one.status === 'active' ||
      (one.status === 'disabled' && includesDisabled) ||
      (one.status === 'revoked' && includesRevoked));
  const query = { account: accountAddress(account), isListed, offset, limit: KEYS_PER_PAGE };
  const credentials = await pageOfKeys(services.cluster.rows, query);
  const views: KeyView[] = [];
  for (let from = 0; from < credentials.length; from += ASKED_AT_ONCE) {
    const some = credentials.slice(from, from + ASKED_AT_ONCE);
    views.push(...(await Promise.all(some.map(({ key }) => showKey(services.cluster, key, services.askMs)))));
  }
  return views;
}

/** Creates an inference key; its text is returned here and stored nowhere. */
export async function createAccountKey(
  services: EdgeServices,
  tenant: Tenant,
  body: NewKeyBody,
): Promise<{ readonly view: KeyView; readonly text: string }> {
  const text = keyText(services.random);
  const address = keyAddress(tenant.account, keyId(services.random));
  return { view: await create(services, tenant, { address, text, body }), text };
}

/**
 * Adds a key that was issued before the prefix change. Its text proves that the caller has it; a key that is known
 * already, of any account, is refused with 409. A repeat by the same account answers the key.
 */
export async function importAccountKey(services: EdgeServices, tenant: Tenant, body: KeyImportBody): Promise<KeyView> {
  const { key: text } = body;
  if (!text.startsWith(LEGACY_KEY_PREFIX) || !isKeyText(text)) {
    throw invalid(`key must be ${LEGACY_KEY_PREFIX} and 64 lower case hex digits`);
  }
  const digest = keyDigest(services.pepper, text);
  const address = keyAddress(tenant.account, importedKeyId(digest));
  const known = await findCredential(services.cluster, digest);
  if (known !== null && known.key !== address) {
    throw new GatewayError({ status: 409, type: 'conflict', message: 'This key is in use already' });
  }
  return create(services, tenant, { address, text, body });
}

interface Creation {
  readonly address: string;
  readonly text: string;
  readonly body: NewKeyBody;
}

async function create(services: EdgeServices, { account, by }: Tenant, creation: Creation): Promise<KeyView> {
  const { address, text, body } = creation;
  const { cluster, askMs, pepper, rates } = services;
  refuseOtherKinds(body.kind ?? 'inference');
  const limit = amountOf('limit', body.limit ?? null);
  const perMinute = body.requests_per_minute ?? null;
  if (perMinute !== null && perMinute > rates.keyPerMinute) {
    throw invalid(`requests_per_minute must be at most ${rates.keyPerMinute}`);
  }
  const made: NewKey = {
    ...{ digest: keyDigest(pepper, text), handle: keyHandle(text), label: maskKey(text) },
    ...{ name: body.name, kind: 'inference', limit, perMinute, by },
    limitWindow: body.limit_reset ?? null,
    expiresAt: expiryOf(body.expires_at ?? null, cluster.now()),
    workspace: body.workspace_id ? await namedWorkspace(services, account, body.workspace_id) : null,
    member: body.creator_user_id ?? null,
  };
  await refusable(services, createKey(cluster, address, made, askMs));
  return showKey(cluster, address, askMs);
}

/** 403: an account makes keys that spend; what manages keys, or reports for a provider, comes from the operator. */
function refuseOtherKinds(kind: KeyKind): void {
  if (kind === 'inference') return;
  const message = `kind: this key makes inference keys only; ${kind} keys are issued by the operator`;
  throw new GatewayError({ status: 403, type: 'permission_denied', message });
}

/** Throws 404 for a handle that no key of the account has, and for a revoked key. */
export async function requireKey(services: EdgeServices, { account }: Tenant, handle: string): Promise<KeyView> {
  const { cluster, askMs } = services;
  const owner = accountAddress(account);
  const found = isKeyHandle(handle) ? await findKeyByHandle(cluster.rows, owner, handle) : null;
  const view = found === null ? null : await showKey(cluster, found.key, askMs);
  if (view === null || view.status === 'revoked') throw notFound('No such key');
  return view;
}

/** Changes what the body names: first the workspace, then the rest in one step. */
export async function editAccountKey(
  services: EdgeServices,
  tenant: Tenant,
  { handle, body }: { readonly handle: string; readonly body: KeyEditBody },
): Promise<KeyView> {
  const { cluster, askMs: withinMs } = services;
  const { by, account } = tenant;
  const view = await requireKey(services, tenant, handle);
  const edit = editOf(body, cluster.now());
  let changed = view;
  if (body.workspace_id) {
    const workspace = await namedWorkspace(services, account, body.workspace_id);
    changed = await refusable(services, moveKey(cluster, view.key, workspace, { by, withinMs }));
  }
  if (Object.keys(edit).length === 0) return changed;
  return refusable(services, editKey(cluster, view.key, edit, { by, withinMs }));
}

function editOf(body: KeyEditBody, now: number): KeyEdit {
  const { name, disabled, limit, limit_reset, expires_at, creator_user_id } = body;
  return {
    ...(name == null ? {} : { name }),
    ...(disabled == null ? {} : { disabled }),
    ...(limit === undefined ? {} : { limit: amountOf('limit', limit) }),
    ...(limit_reset === undefined ? {} : { limitWindow: limit_reset }),
    ...(expires_at === undefined ? {} : { expiresAt: expiryOf(expires_at, now) }),
    ...(creator_user_id === undefined ? {} : { member: creator_user_id }),
  };
}

/** Revokes a key for good. Its row stays for the history of its charges. */
export async function revokeAccountKey(services: EdgeServices, tenant: Tenant, handle: string): Promise<void> {
  const { key } = await requireKey(services, tenant, handle);
  await changeKey(services.cluster, key, 'revoke', services.askMs, tenant.by);
}

/** Exact decimal USD, 0 or more; null is none. */
export function amountOf(name: string, value: number | string | null): string | null {
  if (value === null) return null;
  const amount = parseUsd(typeof value === 'number' ? shortestDecimal(value) : value);
  if (amount === null) throw invalid(`${name} must be an amount in USD, 0 or more`);
  return amount;
}

/** ISO 8601 in UTC with seconds, in the future. (conventions 1.3) */
export function expiryOf(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/.test(text) ? instantOf(text) : null;
  if (at === null) throw invalid('expires_at must be a time in UTC, such as 2030-01-31T00:00:00Z');
  if (at <= now) throw invalid('expires_at must be in the future');
  return at;
}

/** The id of a workspace for a key, null for the default one. Throws 400. */
export async function namedWorkspace(services: EdgeServices, account: string, name: string): Promise<string | null> {
  try {
    return await workspaceOf(services, account, name);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.status !== 404) throw thrown;
    throw invalid('workspace_id must be a workspace of this account');
  }
}

async function workspaceOf(services: EdgeServices, account: string, name: string): Promise<string | null> {
  const { id, isDefault } = await requireWorkspace(services, account, name);
  return isDefault ? null : id;
}

/** The answer, or the refusal of a workspace that undid the change. */
async function refusable<T>({ cluster }: EdgeServices, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    const refusal = rejectionOf(thrown, cluster.now());
    if (refusal !== null) throw refusal;
    // The workspace was deleted after it was looked up.
    const isGone = thrown instanceof AskError && thrown.failure.code === 'rejected';
    throw isGone ? invalid('workspace_id must be a workspace of this account') : thrown;
  }
}
