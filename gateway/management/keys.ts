/**
 * What may be done with the keys of an account: by its management keys, by a person who signed in, and by the operator.
 * Every change is recorded in the account's audit log under `by`.
 */
import type { KeyEdit, NewKey } from '../../actors/key/changes.ts';
import { findCredential, findKeyByHandle } from '../../actors/key/credential.ts';
import { changeKey, createKey, editKey, moveKey, showKey } from '../../actors/key/key.ts';
import type { KeyView } from '../../actors/key/statement.ts';
import { AskError } from '../../actors/runtime/index.ts';
import {
  accountAddress,
  importedKeyDigest,
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
} from '../../actors/terms/ids.ts';
import type { KeyKind } from '../../actors/terms/principal.ts';
import { absent, GatewayError, invalid, rejectionOf } from '../terms/gateway-error.ts';
import { amountOf, checker, expiryOf } from './input.ts';
import { type KeyEditBody, keyCreateSchema, keyEditSchema, keyImportSchema, type NewKeyBody } from './key-schema.ts';
import type { ManagementServices, Tenant } from './services.ts';
import { workspaceOf } from './workspaces.ts';

/** Names one key of an account: by its public handle, or by its id (`key_...`). */
export type KeyName = { readonly handle: string } | { readonly id: string };

const KEY_ID = /^key_[0-9A-Za-z]{1,64}$/;
const newKeyOf = checker(keyCreateSchema);
const importOf = checker(keyImportSchema);
const keyEditOf = checker(keyEditSchema);

export interface MadeKey {
  readonly view: KeyView;
  /** Returned here and stored nowhere. */
  readonly text: string;
}

/** A key that its maker has chosen. */
interface OwnKey {
  readonly id: string;
  readonly text: string;
}

/**
 * Creates a key. `own` is for the operator alone: with the same one a repeat answers the same key. Throws 400; 403 for a
 * kind that the principal may not make.
 */
export async function makeKey(
  services: ManagementServices,
  tenant: Tenant,
  input: unknown,
  own?: OwnKey,
): Promise<MadeKey> {
  const body = newKeyOf(input);
  if (own !== undefined) requireOwn(own, tenant);
  const { id, text } = own ?? { id: keyId(services.random), text: keyText(services.random) };
  const identity = { digest: keyDigest(services.pepper, text), handle: keyHandle(text), label: maskKey(text) };
  const address = keyAddress(tenant.account, id);
  const view = await create(services, tenant, { address, identity, body });
  if (view.handle !== identity.handle) {
    throw new GatewayError({ status: 409, type: 'conflict', message: `${id} is the id of another key` });
  }
  return { view, text };
}

function requireOwn({ id, text }: OwnKey, { by }: Tenant): void {
  if (by.kind !== 'operator') throw new Error('only the operator chooses the id and the text of a key');
  if (!KEY_ID.test(id)) throw invalid('id must be key_ and letters or digits');
  if (!isKeyText(text) || text.startsWith(LEGACY_KEY_PREFIX)) throw invalid('text must be the whole text of a key');
}

/**
 * Adds a key that was issued before the prefix change. Its text proves that the caller has it; a key that is known
 * already, of any account, is refused with 409. A repeat by the same account answers the key.
 */
export function importKey(services: ManagementServices, tenant: Tenant, input: unknown): Promise<KeyView> {
  const { key: text, ...body } = importOf(input);
  if (!text.startsWith(LEGACY_KEY_PREFIX) || !isKeyText(text)) {
    throw invalid(`key must be ${LEGACY_KEY_PREFIX} and 64 lower case hex digits`);
  }
  return addImported(services, tenant, { handle: keyHandle(text), label: maskKey(text), body });
}

/** The same by the handle alone, which is no secret: for the operator only. */
export function importKeyByHandle(
  services: ManagementServices,
  tenant: Tenant,
  { handle, ...input }: { readonly handle: string; readonly name: string },
): Promise<KeyView> {
  if (tenant.by.kind !== 'operator') throw new Error('only the operator imports a key by its handle');
  if (!isKeyHandle(handle)) throw invalid('the SHA-256 of a key must be 64 lower case hex digits');
  return addImported(services, tenant, { handle, label: `${LEGACY_KEY_PREFIX}...`, body: newKeyOf(input) });
}

async function addImported(
  services: ManagementServices,
  tenant: Tenant,
  { handle, label, body }: { readonly handle: string; readonly label: string; readonly body: NewKeyBody },
): Promise<KeyView> {
  const digest = importedKeyDigest(services.pepper, handle);
  const address = keyAddress(tenant.account, importedKeyId(digest));
  const known = await findCredential(services.cluster, digest);
  if (known !== null && known.key !== address) {
    throw new GatewayError({ status: 409, type: 'conflict', message: 'This key is in use already' });
  }
  return create(services, tenant, { address, identity: { digest, handle, label }, body });
}

interface Creation {
  readonly address: string;
  readonly identity: Pick<NewKey, 'digest' | 'label'> & { readonly handle: string };
  readonly body: NewKeyBody;
}

async function create(services: ManagementServices, tenant: Tenant, creation: Creation): Promise<KeyView> {
  const { address, identity, body } = creation;
  const { cluster, askMs } = services;
  const kind = body.kind ?? 'inference';
  requireRight(kind, tenant);
  const made: NewKey = {
    ...identity,
    name: body.name,
    kind,
    limit: amountOf('limit', body.limit ?? null),
    limitWindow: body.limit_reset ?? null,
    expiresAt: expiryOf(body.expires_at ?? null, cluster.now()),
    perMinute: perMinuteOf(services, tenant, body),
    workspace: body.workspace_id ? await namedWorkspace(services, tenant, body.workspace_id) : null,
    member: body.creator_user_id ?? null,
    by: tenant.by,
  };
  await refusable(services, createKey(cluster, address, made, askMs));
  return showKey(cluster, address, askMs);
}

/**
 * Who makes which kind: a person who signed in makes keys that spend, a management key also further management keys, and
 * the operator every kind. A stolen session ends after hours, and so must all that it can do. (rule K15)
 */
function requireRight(kind: KeyKind, { by }: Tenant): void {
  if (kind === 'inference' || by.kind === 'operator') return;
  if (kind === 'management' && by.kind === 'key') return;
  const message =
    kind === 'management'
      ? 'kind: management keys are made with a management key, or by the operator'
      : `kind: ${kind} keys are issued by the operator`;
  throw new GatewayError({ status: 403, type: 'permission_denied', message });
}

/** An owner lowers the configured bound; the operator sets any. */
function perMinuteOf(
  { config }: ManagementServices,
  { by }: Tenant,
  { requests_per_minute: perMinute = null }: NewKeyBody,
): number | null {
  const { keyPerMinute } = config.rates;
  if (perMinute !== null && perMinute > keyPerMinute && by.kind !== 'operator') {
    throw invalid(`requests_per_minute must be at most ${keyPerMinute}`);
  }
  return perMinute;
}

/** A key of the account, also a revoked one. Throws 404. */
export async function findKey(services: ManagementServices, { account }: Tenant, name: KeyName): Promise<KeyView> {
  const { cluster, askMs } = services;
  const address = await addressOf(services, account, name);
  if (address === null) throw absent(NO_KEY, null);
  return showKey(cluster, address, askMs).catch((thrown: unknown) => {
    throw thrown instanceof AskError && thrown.failure.code === 'absent' ? absent(NO_KEY, thrown.address) : thrown;
  });
}

async function addressOf({ cluster }: ManagementServices, account: string, name: KeyName): Promise<string | null> {
  if ('id' in name) return KEY_ID.test(name.id) ? keyAddress(account, name.id) : null;
  if (!isKeyHandle(name.handle)) return null;
  return (await findKeyByHandle(cluster.rows, accountAddress(account), name.handle))?.key ?? null;
}

/** A key that can still be changed. Throws 404 for a revoked one as well. */
export async function requireKey(services: ManagementServices, tenant: Tenant, name: KeyName): Promise<KeyView> {
  const view = await findKey(services, tenant, name);
  if (view.status === 'revoked')
    throw absent(
      NO_KEY,
      `${view.key.replace(/^key:/, '')} is revoked for good; \`troupe keys create\` makes another key`,
    );
  return view;
}

/** Changes what the input names: first the workspace, then the rest in one step. Throws 400, 404. */
export async function changeKeyOf(
  services: ManagementServices,
  tenant: Tenant,
  { name, input }: { readonly name: KeyName; readonly input: unknown },
): Promise<KeyView> {
  const { cluster, askMs: withinMs } = services;
  const { by } = tenant;
  const body = keyEditOf(input);
  const view = await requireKey(services, tenant, name);
  const edit = editOf(body, cluster.now());
  let changed = view;
  if (body.workspace_id) {
    const workspace = await namedWorkspace(services, tenant, body.workspace_id);
    changed = await refusable(services, moveKey(cluster, view.key, workspace, { by, withinMs }));
  }
  const members = Object.keys(edit);
  if (members.length === 0) return changed;
  // A store that is full still takes the event that only disables a key.
  if (members.length === 1 && edit.disabled !== undefined) {
    return changeKey(cluster, view.key, edit.disabled ? 'disable' : 'enable', withinMs, by);
  }
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

/** Revokes a key for good; returns it. Its row stays for the history of its charges. */
export async function revokeKey(services: ManagementServices, tenant: Tenant, name: KeyName): Promise<KeyView> {
  const { key } = await requireKey(services, tenant, name);
  return changeKey(services.cluster, key, 'revoke', services.askMs, tenant.by);
}

/** The id of a workspace for a key, null for the default one. Throws 400. */
export async function namedWorkspace(
  services: ManagementServices,
  { account }: Tenant,
  name: string,
): Promise<string | null> {
  try {
    return await workspaceOf(services, account, name);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.status !== 404) throw thrown;
    throw invalid(NO_WORKSPACE);
  }
}

const NO_KEY = 'No such key';
const NO_WORKSPACE = 'workspace_id must be a workspace of this account';

/** The answer, or the refusal of a workspace that undid the change. */
async function refusable<T>({ cluster }: ManagementServices, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    const refusal = rejectionOf(thrown, cluster.now());
    if (refusal !== null) throw refusal;
    // The workspace was deleted after it was looked up.
    const isGone = thrown instanceof AskError && thrown.failure.code === 'rejected';
    throw isGone ? invalid(NO_WORKSPACE) : thrown;
  }
}
