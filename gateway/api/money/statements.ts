import { ownerOf } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { sendStatement } from '../../edge/downloads/send-statement.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { monthsOf } from '../../management/statement.ts';

/** `GET /statements` lists the months of the account; `GET /statements/{month}` is the CSV of one. */
export function statementRoutes(parts: Downloading): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/statements',
      policy: 'key',
      body: 'none',
      answer: (context) => listStatements(context, parts),
    },
    {
      method: 'GET',
      path: '/statements/:month',
      policy: 'key',
      body: 'none',
      answer: (context) =>
        sendStatement(context, parts, { account: accountOf(context), month: paramOf(context, 'month') }),
    },
  ];
}

async function listStatements(context: RequestContext, { files }: Downloading): Promise<RouteAnswer> {
  const now = files.cluster.now();
  const months = await monthsOf(files, accountOf(context));
  const data = months.map(({ name, till }) => ({ object: 'statement', month: name, complete: till <= now }));
  return jsonAnswer(JSON.stringify({ object: 'list', data }));
}

function accountOf(context: RequestContext): string {
  return accountAddress(ownerOf(callerOf(context).key));
}
