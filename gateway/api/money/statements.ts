import { ownerOf } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { sendCsv } from '../../edge/downloads/send-csv.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { monthsOf, requireStatement } from '../../management/statement.ts';

/** `GET /statements` lists the months of the account; `GET /statements/{month}` is the CSV of one. */
export const statementRoutes: readonly Route[] = [
  { method: 'GET', path: '/statements', policy: 'key', body: 'none', answer: listStatements },
  { method: 'GET', path: '/statements/:month', policy: 'key', body: 'none', answer: sendStatement },
];

async function listStatements(context: RequestContext, { services }: EdgeRoutes): Promise<RouteAnswer> {
  const now = services.cluster.now();
  const months = await monthsOf(services, accountOf(context));
  const data = months.map(({ name, till }) => ({ object: 'statement', month: name, complete: till <= now }));
  return jsonAnswer(JSON.stringify({ object: 'list', data }));
}

function sendStatement(context: RequestContext, edge: EdgeRoutes): Promise<null> {
  return sendStatementOf(context, edge, { account: accountOf(context), month: paramOf(context, 'month') });
}

/** Sends the CSV of one month. `account` is an address. Throws GatewayError 400, 404. */
export async function sendStatementOf(
  context: RequestContext,
  { services }: Pick<EdgeRoutes, 'services'>,
  { account, month: name }: { readonly account: string; readonly month: string },
): Promise<null> {
  const { month, lines } = await requireStatement(services, account, name);
  return sendCsv(context, services, { account, name: `statement-${month.name}`, source: lines });
}

function accountOf(context: RequestContext): string {
  return accountAddress(ownerOf(callerOf(context).key));
}
