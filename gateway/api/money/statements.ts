import { Type } from 'typebox';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { listOf } from '../../dialects/request/members.ts';
import { sendStatement } from '../../edge/downloads/send-statement.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { monthsOf } from '../../management/statement.ts';
import type { Operations } from '../wire/operation.ts';

const statementListSchema = Type.Object({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: listOf('Months of the account, newest first.', {
    object: Type.Literal('statement', { description: 'Always `statement`.' }),
    month: Type.String({ description: 'The UTC month, `YYYY-MM`.' }),
    complete: Type.Boolean({ description: 'Whether the month is over, so that its figures are final.' }),
  }),
});

/** What the document says of the routes. */
export const STATEMENT_OPERATIONS: Operations = {
  'GET /statements': {
    key: 'inference',
    summary: 'The months of the account, newest first',
    description: 'Every UTC month since its first ledger entry.',
    answers: 'Every month.',
    reply: { StatementList: statementListSchema },
  },
  'GET /statements/{month}': {
    key: 'inference',
    summary: 'The ledger of one UTC month as CSV',
    description: 'One line for each entry, between the opening and the closing balance.',
    answers: 'The statement as CSV.',
    path: { month: 'UTC month, YYYY-MM.' },
    bytes: true,
  },
};

/** `GET /statements` lists the months of the account; `GET /statements/{month}` is the CSV of one. */
export function statementRoutes(parts: Downloading): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/statements',
      policy: 'key',
      answer: (context) => listStatements(context, parts),
    },
    {
      method: 'GET',
      path: '/statements/:month',
      policy: 'key',
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
