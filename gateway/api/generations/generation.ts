import { findGeneration } from '../../../actors/account/account.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';
import { renderExact } from '../wire/exact-json.ts';
import { renderGeneration } from './generation-record.ts';

/** Longer ids are not looked up. */
const ID_CHARACTERS_MAX = 96;

/**
 * `GET /generation?id=`: one generation of the caller's account, from the moment its hold is written. Unknown ids and
 * ids of other accounts give the same 404. (rule I141)
 */
export const generationRoute: Route = {
  method: 'GET',
  path: '/generation',
  policy: 'key',
  body: 'none',
  answer: showGeneration,
};

async function showGeneration(context: RequestContext, { services }: EdgeRoutes): Promise<RouteAnswer> {
  const [id = '', ...others] = new URLSearchParams(context.query).getAll('id');
  if (id === '' || others.length > 0) throw invalid('The query parameter id must be given exactly once');
  const { account } = callerOf(context);
  const found = id.length > ID_CHARACTERS_MAX ? null : await findGeneration(services.cluster, account, id);
  if (found === null) throw notFound('Generation not found');
  return jsonAnswer(renderExact({ data: renderGeneration(id, found) }));
}
