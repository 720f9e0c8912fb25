import { type ApiParts, apiRoutes } from '../../gateway/api/api-routes.ts';
import type { Route } from '../../gateway/edge/route.ts';
import { accountRoutes } from '../../gateway/pages/account/account-routes.ts';
import type { PageRoute } from '../../gateway/pages/kit/page-route.ts';
import { type PageParts, pageRoutes } from '../../gateway/pages/page-routes.ts';
import { responsesSocketRoute } from '../../gateway/sockets/responses-socket.ts';

/** Has every member, each of which has every member: routes that are listed and never answer. */
const ANYTHING: never = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? undefined : ANYTHING),
}) as never;

/** The routes of the API, to be listed; only what `parts` gives them works. */
export function apiTable(parts: Partial<ApiParts> = {}): readonly Route[] {
  const none: ApiParts = {
    services: ANYTHING,
    answering: ANYTHING,
    downloads: { files: ANYTHING, streamStalledMs: 1 },
    fileRoom: ANYTHING,
    workspaces: ANYTHING,
    submitting: ANYTHING,
    events: ANYTHING,
    clients: ANYTHING,
    config: ANYTHING,
    readiness: () => 'ready',
    refreshModels: ANYTHING,
  };
  return apiRoutes({ ...none, ...parts }, [responsesSocketRoute(ANYTHING)]);
}

const DOWNLOADS: PageParts['downloads'] = { files: ANYTHING, streamStalledMs: 1 };

/** The pages of an account, to be listed. */
export function accountTable(): readonly PageRoute[] {
  return accountRoutes({ downloads: DOWNLOADS, secretOverlapMs: 1 });
}

/** Every page, to be listed. */
export function pageTable(): readonly Route[] {
  return pageRoutes({ node: ANYTHING, apiDocument: ANYTHING, downloads: DOWNLOADS, secretOverlapMs: 1 });
}
