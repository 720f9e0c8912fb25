import { createHmac } from 'node:crypto';
import { showAccount } from '../../../actors/account/account.ts';
import { countRequest } from '../../../actors/key/key.ts';
import { findSession } from '../../../actors/session/session.ts';
import type { SessionRecord } from '../../../actors/session/session-record.ts';
import { secretDigest } from '../../../actors/terms/one-time.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import type { Authentication } from '../../edge/auth/authentication.ts';
import { sessionSecretOf } from '../../edge/auth/session-cookie.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import type { ClientAddresses } from '../../http/client-addresses.ts';
import type { ManagementServices } from '../../management/services.ts';
import { refusalError } from '../../terms/gateway-error.ts';

/** The signed-in person of a request. The session manages keys and reads reports of its account; it spends nothing. */
export interface PageSession {
  /** Address of the session. */
  readonly session: string;
  /** Id of the account, `acct_...`. */
  readonly account: string;
  /** For the audit log. */
  readonly by: Principal;
  /** Anti-forgery token of the session: every form sends it. */
  readonly token: string;
}

export interface PageSessionParts {
  readonly services: ManagementServices;
  readonly clients: ClientAddresses;
  readonly authentication: Pick<Authentication, 'noteSession'>;
}

/**
 * The session of a request's cookie; null without an open one. A session lives no longer than the management key that
 * opened it, and opens nothing while its account is suspended. Throws the key's 429.
 */
export async function pageSessionOf(
  { request }: Pick<RequestContext, 'request'>,
  parts: PageSessionParts,
): Promise<PageSession | null> {
  const secret = sessionSecretOf(request.headers);
  if (secret === null) return null;
  const { services, clients, authentication } = parts;
  const { cluster, pepper } = services;
  const digest = secretDigest(pepper, 'session', secret);
  const record = await findSession(cluster, digest);
  const isOpen = record !== null && (await mayAct(record, services));
  authentication.noteSession(secret, isOpen);
  if (record === null || !isOpen) return null;
  const { session, account } = record;
  const by = { kind: 'session', id: session, address: clients.of(request) } as const;
  return { session, account, by, token: tokenOf(pepper, digest) };
}

async function mayAct(
  { by, account }: SessionRecord,
  { cluster, config, askMs }: ManagementServices,
): Promise<boolean> {
  if (by.kind !== 'key') return (await showAccount(cluster, `account:${account}`, askMs)).status === 'open';
  const counted = await countRequest(cluster, by.id, { perMinute: config.rates.keyPerMinute, withinMs: askMs });
  if (!('refusal' in counted)) return true;
  if (counted.refusal.status === 429) throw refusalError(counted.refusal, cluster.now());
  return false;
}

function tokenOf(pepper: Uint8Array, digest: string): string {
  return createHmac('sha256', pepper).update(`troupe page token ${digest}`).digest('base64url');
}
