import { ownerOf } from '../../../actors/runtime/index.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { ClientAddresses } from '../../http/client-addresses.ts';
import type { ManagementServices, Tenant } from '../../management/services.ts';

/** What the routes take by which an account is managed. */
export interface Managing {
  readonly services: ManagementServices;
  /** The account of the caller's key, and the caller as the one who changes. */
  readonly tenantOf: (context: RequestContext) => Tenant;
}

export function managing(services: ManagementServices, clients: ClientAddresses): Managing {
  const tenantOf = (context: RequestContext): Tenant => {
    const { key } = callerOf(context);
    return { account: ownerOf(key), by: { kind: 'key', id: key, address: clients.of(context.request) } };
  };
  return { services, tenantOf };
}
