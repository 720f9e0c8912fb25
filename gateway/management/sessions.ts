/** The browsers that are signed in to an account: listed, and signed out one by one or all. */
import { AskError } from '../../actors/runtime/index.ts';
import { closeSession, listSessions } from '../../actors/session/session.ts';
import type { SessionRecord } from '../../actors/session/session-record.ts';
import { absent } from '../terms/gateway-error.ts';
import type { ManagementServices, Tenant } from './services.ts';

const NO_SESSION = 'No such session';
const SESSION_ID = /^ses_[0-9a-f]{32}$/;

/** Newest first. */
export function openSessions({ cluster }: ManagementServices, { account }: Tenant): Promise<readonly SessionRecord[]> {
  return listSessions(cluster.rows, account, cluster.now());
}

/** Throws 404 for an id that no session of the account has. */
export async function endSession(
  { cluster, askMs }: ManagementServices,
  { account, by }: Tenant,
  id: string,
): Promise<void> {
  if (!SESSION_ID.test(id)) throw absent(NO_SESSION, null);
  await closeSession(cluster, `session:${account}/${id}`, by, askMs).catch((thrown: unknown) => {
    throw thrown instanceof AskError && thrown.failure.code === 'absent' ? absent(NO_SESSION, thrown.address) : thrown;
  });
}

/** Ends every session; returns how many. */
export async function endSessions(services: ManagementServices, tenant: Tenant): Promise<number> {
  const open = await openSessions(services, tenant);
  for (const { session } of open) await closeSession(services.cluster, session, tenant.by, services.askMs);
  return open.length;
}
