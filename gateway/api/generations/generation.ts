import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import { renderGeneration } from '../../management/generation-record.ts';
import { requireGeneration } from '../../management/generations.ts';
import type { ManagementServices } from '../../management/services.ts';
import { invalid } from '../../terms/gateway-error.ts';

/**
 * `GET /generation?id=`: one generation of the caller's account, from the moment its hold is written. Unknown ids and
 * ids of other accounts give the same 404. (rule I141)
 */
export function generationRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/generation',
    policy: 'key',
    body: 'none',
    answer: (context) => showGeneration(context, services),
  };
}

async function showGeneration(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const [id = '', ...others] = new URLSearchParams(context.query).getAll('id');
  if (id === '' || others.length > 0) throw invalid('The query parameter id must be given exactly once');
  const { generation } = await requireGeneration(services, callerOf(context).account, id);
  return jsonAnswer(renderExact({ data: renderGeneration(id, generation) }));
}
