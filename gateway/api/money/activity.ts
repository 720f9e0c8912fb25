import { ownerOf } from '../../../actors/runtime/index.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { type ActivitySum, readActivity } from '../../management/activity.ts';
import type { ManagementServices } from '../../management/services.ts';
import { parseActivityQuery } from './activity-query.ts';

/**
 * `GET /activity`: charges and tokens of the account by day, model and endpoint, over the last 30 completed UTC days.
 * The sums are the ledger's. (rule K52)
 */
export function activityRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/activity',
    policy: 'key',
    body: 'none',
    answer: (context) => showActivity(context, services),
  };
}

async function showActivity(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const query = parseActivityQuery(new URLSearchParams(context.query), services.cluster.now());
  const rows = await readActivity(services, ownerOf(callerOf(context).key), query);
  return jsonAnswer(renderExact({ data: rows.map(activityObject) }));
}

export function activityObject(sum: ActivitySum): object {
  return {
    date: new Date(sum.day).toISOString().slice(0, 10),
    model: sum.model,
    model_permaslug: sum.model,
    endpoint_id: sum.endpoint,
    provider_name: sum.provider,
    usage: exactNumber(sum.usage),
    byok_usage_inference: exactNumber('0'),
    requests: sum.requests,
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
    ...(sum.workspace === undefined ? {} : { workspace_id: sum.workspace }),
  };
}
