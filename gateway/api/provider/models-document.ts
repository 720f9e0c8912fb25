import { showProvider } from '../../../actors/provider/provider.ts';
import type { EndedRefresh, RunningRefresh } from '../../../actors/provider/refreshes.ts';
import { wrongKind } from '../../edge/auth/authentication.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { providerOf } from '../../edge/provider-of.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';

/**
 * `POST /provider/models-document/refresh`: begins to read the provider's models document, or answers the reading that
 * runs already, since one runs at a time.
 */
export async function refreshModelsDocument(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const running = await edge.services.refreshModels(providerOf(context, edge).slug);
  // The configuration of this node does not declare it any more.
  if (running === null) throw wrongKind('provider');
  return { ...jsonAnswer(JSON.stringify({ status: running.phase, run: runningObject(running) })), status: 202 };
}

/** `GET /provider/models-document`: the last reading, the progress of a running one, and the last 20 on command. */
export async function showModelsDocument(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { services } = edge;
  const view = await showProvider(services.cluster, providerOf(context, edge).slug, services.askMs);
  const { document, refreshes } = view ?? {};
  const running = refreshes?.running ?? null;
  return jsonAnswer(
    JSON.stringify({
      data: {
        object: 'models_document',
        endpoints: document?.endpoints ?? 0,
        problem: document?.problem ?? null,
        unchanged_since: document === undefined ? null : iso(document.since),
        running: running === null ? null : runningObject(running),
        history: (refreshes?.history ?? []).map(endedObject),
      },
    }),
  );
}

function runningObject({ run, by, startedAt, phase, declared, total }: RunningRefresh): object {
  return { id: run, by, started_at: iso(startedAt), phase, declared, total };
}

function endedObject({ run, by, startedAt, endedAt, ...result }: EndedRefresh): object {
  return { id: run, by, started_at: iso(startedAt), ended_at: iso(endedAt), ...result };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
