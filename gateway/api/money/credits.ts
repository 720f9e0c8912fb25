import { Type } from 'typebox';
import { showAccount } from '../../../actors/account/account.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { add } from '../../../actors/terms/usd.ts';
import { described, listOf, objectOf, orNull } from '../../dialects/request/members.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { callerOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { JSON_TYPE, jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { setNotice } from '../../management/low-balance.ts';
import type { Managing } from '../wire/managing.ts';
import type { Operations } from '../wire/operation.ts';

interface CreditsParts {
  readonly cluster: Cluster;
  readonly askMs: number;
}

/** `GET /credits`: deposits, charges and holds of the account, in full precision. (rule K51) */
export function creditsRoute(parts: CreditsParts): Route {
  return {
    method: 'GET',
    path: '/credits',
    policy: 'key',
    answer: (context) => showCredits(context, parts),
  };
}

async function showCredits(context: RequestContext, { cluster, askMs }: CreditsParts): Promise<RouteAnswer> {
  const view = await showAccount(cluster, callerOf(context).account, askMs);
  return jsonAnswer(renderExact({ data: creditsObject(view) }));
}

/** The account's money for `renderExact`. */
export function creditsObject(view: AccountView): object {
  return {
    total_credits: exactNumber(add(view.deposits, view.adjustments)),
    total_usage: exactNumber(view.charges),
    held: exactNumber(view.held),
    available: exactNumber(view.available),
    low_balance: exactNumber(view.lowBalance),
  };
}

/**
 * `POST /credits/notice` with a management key: below which balance the account's feed has the event `balance.low`, once
 * per crossing. Body `{"low_balance": "5"}`, a decimal text, or null for no notice.
 */
export function lowBalanceRoute({ services, tenantOf }: Managing): Route {
  return {
    method: 'POST',
    path: '/credits/notice',
    policy: 'management',
    body: JSON_BODY,
    answer: async (context): Promise<RouteAnswer> => {
      const lowBalance = await setNotice(services, tenantOf(context), takeBody(context).value);
      return jsonAnswer(renderExact({ data: { low_balance: exactNumber(lowBalance) } }));
    },
  };
}

const MESSAGE = 'This way to buy credits is gone for good; GET /deposits/rails lists the ways that exist';

/**
 * `POST /credits/coinbase`: always 410, whoever asks. Its error is the only one without `metadata.error_type`.
 * (rule K50)
 */
export const retiredPurchaseRoute: Route = {
  method: 'POST',
  path: '/credits/coinbase',
  policy: 'open',
  answer: (): RouteAnswer => ({
    status: 410,
    type: JSON_TYPE,
    body: JSON.stringify({ error: { code: 410, message: MESSAGE, metadata: {} } }),
  }),
};

const usd = Type.Number({ description: 'USD, all digits.' });
const count = Type.Integer({ minimum: 0 });

/** The published schema of `GET /activity`. */
export const activityListSchema = Type.Object({
  data: listOf('One row for each day, model and endpoint.', {
    date: Type.String({ format: 'date', description: 'The UTC day, `YYYY-MM-DD`.' }),
    model: Type.String({ description: 'Id of the model that was served, `author/slug`.' }),
    model_permaslug: Type.String({ description: 'Equal to `model`: ids do not change.' }),
    endpoint_id: Type.String({ description: 'Which endpoint answered the request.' }),
    provider_name: Type.String({ description: 'Name of the serving company, for people.' }),
    usage: described(usd, 'Charges of the row, USD.'),
    byok_usage_inference: described(usd, "Always 0: there are no keys of one's own."),
    requests: described(count, 'Charged requests of the row.'),
    prompt_tokens: described(count, 'Tokens of all prompts that the row sums, cached ones included.'),
    completion_tokens: described(count, 'Completion tokens of the row, reasoning included.'),
    reasoning_tokens: described(count, 'Those of the completion tokens that were reasoning.'),
    workspace_id: Type.Optional(Type.String({ description: 'With `group_by=workspace`.' })),
  }),
});

/** The published schema of `POST /credits/notice`. */
const lowBalanceNoticeSchema = Type.Object({
  low_balance: orNull(
    Type.String({ description: 'USD, a decimal number.' }),
    'Balance in USD below which the feed has one event `balance.low`; null for none.',
  ),
});

const creditsSchema = Type.Object({
  data: objectOf("The account's money.", {
    total_credits: described(usd, 'Deposits and adjustments since the account exists, USD.'),
    total_usage: described(usd, 'Charges since the account exists, USD.'),
    held: described(usd, 'Held for requests that still run, USD.'),
    available: described(usd, 'What new requests may hold, USD: deposits less charges less `held`.'),
    low_balance: orNull(usd, 'Balance in USD below which the feed has one event `balance.low`; null for none.'),
  }),
});

const lowBalanceSetSchema = Type.Object({
  data: objectOf('The setting as it is now.', {
    low_balance: orNull(usd, 'Balance in USD below which the feed has one event `balance.low`; null for none.'),
  }),
});

/** The retired purchase: the one error without `error_type`. (rule K51, rule K52) */
const retiredSchema = Type.Object({
  error: Type.Object(
    {
      code: Type.Integer({ description: 'Equal to the HTTP status.' }),
      message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
    },
    { additionalProperties: true, description: 'Why the request was refused.' },
  ),
});

/** What the document says of the routes. */
export const CREDITS_OPERATIONS: Operations = {
  'GET /credits': {
    key: 'inference',
    summary: 'Deposits and spend of the account',
    description: 'Exact, with all digits; requests that run are shown as held.',
    answers: "The account's money.",
    reply: { Credits: creditsSchema },
  },
  'POST /credits/notice': {
    key: 'management',
    summary: 'Sets the balance below which the feed has the event balance.low',
    description: 'The event follows once for each time that the balance falls below it.',
    answers: 'The setting as it is now.',
    body: { LowBalanceNotice: lowBalanceNoticeSchema },
    reply: { LowBalanceSet: lowBalanceSetSchema },
  },
  'POST /credits/coinbase': {
    summary: 'Retired: a purchase that no longer exists',
    description: 'Always 410, with the one error that has no `error_type`.',
    answers: 'The purchase is gone for good.',
    reply: { Retired: retiredSchema },
    status: 410,
  },
};
