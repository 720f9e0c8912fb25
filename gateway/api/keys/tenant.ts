import { ownerOf } from '../../../actors/runtime/index.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';

/** The account whose keys and workspaces are managed, and who manages them. */
export interface Tenant {
  /** Account id, without the kind. */
  readonly account: string;
  readonly by: Principal;
}

/** The account of the caller's key, and the caller as the one who changes. */
export function tenantOf(context: RequestContext, { clients }: EdgeRoutes): Tenant {
  const { key } = callerOf(context);
  return { account: ownerOf(key), by: { kind: 'key', id: key, address: clients.of(context.request) } };
}
