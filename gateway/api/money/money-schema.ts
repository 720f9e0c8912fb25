import { Type } from 'typebox';
import { described, listOf, orNull } from '../../dialects/request/members.ts';

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
export const lowBalanceNoticeSchema = Type.Object({
  low_balance: orNull(
    Type.String({ description: 'USD, a decimal number.' }),
    'Balance in USD below which the feed has one event `balance.low`; null for none.',
  ),
});
