import { showProvider } from '../../../actors/provider/provider.ts';
import type { EndedRefresh, RunningRefresh } from '../../../actors/provider/refreshes.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { wrongKind } from '../../edge/auth/authentication.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import type { ProviderParts } from './provider-parts.ts';

/**
 * `POST /provider/models-document/refresh`: begins to read the provider's models document, or answers the reading that
 * runs already, since one runs at a time.
 */
export async function refreshModelsDocument(
  { slug }: ProviderFacts,
  refreshModels: ProviderParts['refreshModels'],
): Promise<RouteAnswer> {
  const running = await refreshModels(slug);
  // The configuration of this node does not declare it any more.
  if (running === null) throw wrongKind('provider');
  return { ...jsonAnswer(JSON.stringify({ status: running.phase, run: runningObject(running) })), status: 202 };
}

/** `GET /provider/models-document`: the last reading, the progress of a running one, and the last 20 on command. */
export async function showModelsDocument(
  { slug }: ProviderFacts,
  { cluster, askMs }: Pick<ProviderParts, 'cluster' | 'askMs'>,
): Promise<RouteAnswer> {
  const view = await showProvider(cluster, slug, askMs);
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
