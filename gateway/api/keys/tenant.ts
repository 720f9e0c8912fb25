import { ownerOf } from '../../../actors/runtime/index.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Tenant } from '../../management/services.ts';

/** The account of the caller's key, and the caller as the one who changes. */
export function tenantOf(context: RequestContext, { clients }: EdgeRoutes): Tenant {
  const { key } = callerOf(context);
  return { account: ownerOf(key), by: { kind: 'key', id: key, address: clients.of(context.request) } };
}
