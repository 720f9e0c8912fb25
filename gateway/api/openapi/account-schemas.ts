/** The answers of the routes that tell of the service itself, of one key, its account and its generations. */
import { type TSchema, Type } from 'typebox';
import { described, listOf, objectOf, orNull } from '../../dialects/request/members.ts';

const text = Type.String();
const flag = Type.Boolean();
const usd = Type.Number({ description: 'USD, exact digits.' });
const whole = Type.Integer();
const instant = Type.String({ format: 'date-time' });
const open = { additionalProperties: true };

export const aliveSchema = Type.Object({
  name: Type.Literal('troupe', { description: 'Always `troupe`.' }),
  status: Type.Literal('ok', { description: 'Always `ok`: the process answers.' }),
});
export const readySchema = Type.Object({
  status: Type.Literal('ready', { description: 'Always `ready`: the node accepts requests. Other states are 503.' }),
});
export const anyDocumentSchema = Type.Object({}, open);

export const creditsSchema = Type.Object({
  data: objectOf("The account's money.", {
    total_credits: described(usd, 'Deposits and adjustments since the account exists, USD.'),
    total_usage: described(usd, 'Charges since the account exists, USD.'),
    held: described(usd, 'Held for requests that still run, USD.'),
    available: described(usd, 'What new requests may hold, USD: deposits less charges less `held`.'),
    low_balance: orNull(usd, 'Balance in USD below which the feed has one event `balance.low`; null for none.'),
  }),
});

export const lowBalanceSetSchema = Type.Object({
  data: objectOf('The setting as it is now.', {
    low_balance: orNull(usd, 'Balance in USD below which the feed has one event `balance.low`; null for none.'),
  }),
});

/** Windows of a key's spend: the suffix of the member and its words. */
const WINDOWS = {
  '': 'over its life',
  _daily: 'this UTC day',
  _weekly: 'since Monday, UTC',
  _monthly: 'this UTC month',
};
const windowed = (name: string, what: string): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(WINDOWS).map(([window, words]) => [`${name}${window}`, described(usd, `${what} ${words}, USD.`)]),
  );

export const ownKeySchema = Type.Object({
  data: objectOf('The key that was sent.', {
    label: described(text, 'First and last characters of the key, for people.'),
    name: described(text, "The key's name, 1 to 256 characters."),
    hash: described(text, 'SHA-256 of the key: names it in /keys/{hash}.'),
    workspace_id: described(text, "Id of the workspace whose rules the key's requests follow."),
    limit: orNull(usd, 'What the key may spend per window, USD; null without a limit.'),
    limit_remaining: orNull(usd, 'What is left of the limit in this window, USD; null without a limit.'),
    limit_reset: orNull(text, 'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.'),
    ...windowed('usage', 'Charges of the key'),
    ...windowed('byok_usage', "Always 0, there are no keys of one's own:"),
    include_byok_in_limit: described(flag, "Always false: there are no keys of one's own."),
    is_free_tier: described(flag, 'Always false: there is no free tier.'),
    is_management_key: described(flag, 'Whether the key administers the account instead of running requests.'),
    is_provisioning_key: described(flag, 'Equal to `is_management_key`.'),
    expires_at: orNull(instant, 'When the key stops to authenticate; null: never.'),
    updated_at: orNull(instant, 'When a setting of the key last changed; null: never.'),
    creator_user_id: orNull(text, "Member of the workspace to whom the key's spend is attributed; null for none."),
    rate_limit: Type.Object(
      {
        requests: described(whole, 'Requests of one interval; 120 where the key has no rate of its own.'),
        interval: described(text, 'Window in which the requests are counted, such as 60s.'),
        note: described(text, 'Explains the figure in a sentence.'),
      },
      { ...open, description: 'How many requests the key may send.' },
    ),
    organization_id: Type.Null({ description: 'Never set by this service.' }),
    allowed_data_regions: Type.Array(text, { description: 'Regions in which requests may be served; empty: any.' }),
    free_model_daily_requests: Type.Object({}, { ...open, description: 'Always 0: there is no free tier.' }),
  }),
});

export const statementListSchema = Type.Object({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: listOf('Months of the account, newest first.', {
    object: Type.Literal('statement', { description: 'Always `statement`.' }),
    month: described(text, 'The UTC month, `YYYY-MM`.'),
    complete: described(flag, 'Whether the month is over, so that its figures are final.'),
  }),
});

/** The retired purchase: the one error without `error_type`. (rule K51, rule K52) */
export const retiredSchema = Type.Object({
  error: Type.Object(
    {
      code: described(whole, 'Equal to the HTTP status.'),
      message: described(text, 'What went wrong, for people: not a contract.'),
    },
    { ...open, description: 'Why the request was refused.' },
  ),
});

export const generationSchema = Type.Object(
  {
    data: Type.Object(
      {
        id: described(text, 'Id of the generation, as `X-Generation-Id` named it.'),
        model: described(text, 'Id of the model that served, or that was asked for.'),
        status: described(text, 'running, then settled with a charge or released without one.'),
        created_at: described(instant, 'When the hold was written.'),
        settled_at: orNull(instant, 'When the charge was recorded; null until then.'),
        ended_at: orNull(instant, 'When the last attempt ended; null until then.'),
        origin: described(text, 'Address of the application, from its header; empty without one.'),
        usage: described(usd, 'Charge of the generation, USD.'),
        total_cost: described(usd, 'Equal to `usage`.'),
        hold_cost: orNull(usd, 'What was held before the first attempt, USD; null where nothing was.'),
        overshoot_cost: orNull(usd, 'What was charged beyond the hold, USD; null for nothing.'),
        unpriced: Type.Array(text, { description: 'Consumed units without a declared price, which were not charged.' }),
        streamed: described(flag, 'Whether the answer was sent as server-sent events.'),
        cancelled: orNull(flag, 'Whether the client left before the end; null until it ended.'),
        estimated: orNull(
          flag,
          'Whether this service counted tokens because the provider did not; null until it ended.',
        ),
        latency: orNull(Type.Number(), 'Milliseconds to the first part of the answer; null without one.'),
        generation_time: orNull(Type.Number(), 'Milliseconds from the request to its end; null until then.'),
        finish_reason: orNull(text, 'Why the answer ended, in the words of chat; null without an answer.'),
        native_finish_reason: orNull(
          text,
          "Why the answer ended, in the provider's own word; null where it gave none.",
        ),
        tokens_prompt: orNull(whole, 'Prompt tokens that were charged; null until they are known.'),
        tokens_completion: orNull(whole, 'Completion tokens that were charged; null until they are known.'),
        refused_prompt_tokens: orNull(
          whole,
          'The prompt tokens that the provider reported, where they were implausible and our own count is charged; null otherwise.',
        ),
        provider_name: described(text, 'Name of the serving company, for people.'),
        upstream_id: orNull(text, 'Id that the provider gave its answer; null where it gave none.'),
        session_id: orNull(text, 'Conversation that the request named; null for none.'),
        http_referer: orNull(text, 'The header HTTP-Referer; null without it.'),
        app_title: orNull(text, 'The header X-Title; null without it.'),
        workspace_id: described(text, 'Id of the workspace of the key that asked.'),
        api_type: Type.Union([Type.Literal('completions'), Type.Literal('video')], {
          description: 'completions for every turn; video for a render.',
        }),
        endpoint_id: described(text, 'Which endpoint answered the request.'),
        tariff_id: described(text, 'Id of the prices by which it was charged.'),
        attempt: described(whole, 'Number of the last hold: 1, 2 and so on in the first run, from 1001 in the second.'),
        late: described(flag, 'Whether the charge was recorded after the hold had ended.'),
        unread_members: Type.Array(text, {
          description: 'Members of the request body that nothing reads, at most 16.',
        }),
        media: orNull(
          Type.Object(
            {
              images: orNull(whole, 'Pictures that were generated.'),
              megapixels: orNull(Type.Number(), 'Megapixels of those pictures.'),
              audio_seconds: orNull(Type.Number(), 'Seconds of speech that were generated.'),
              input_images: orNull(whole, 'Pictures of the prompt.'),
              video_seconds: Type.Optional(Type.Number({ description: 'Seconds of the clips, as measured.' })),
            },
            open,
          ),
          'Consumed units other than tokens; null for none.',
        ),
        provider_responses: Type.Array(
          Type.Object(
            {
              endpoint_id: described(text, 'Id of the endpoint that was called.'),
              provider_name: described(text, 'Name of the serving company, for people.'),
              outcome: described(text, 'How the attempt ended.'),
            },
            open,
          ),
          { description: 'One entry for each attempt, in order.' },
        ),
        holds: listOf('One entry for each hold, in order.', {
          attempt: described(whole, 'Number of the hold: 1, 2 and so on in the first run, from 1001 in the second.'),
          endpoint_id: described(text, 'Id of the endpoint for whose price it was held.'),
          amount: orNull(usd, 'What was held, USD; null where no bound was known.'),
        }),
        timings: Type.Object(
          {
            admitted: orNull(Type.Number(), 'Milliseconds until the money was held.'),
            total: orNull(Type.Number(), 'Milliseconds until the end; null before it.'),
          },
          { ...open, description: 'Milliseconds from the request to its stages.' },
        ),
      },
      { ...open, description: 'The whole record: route, attempts, holds and charge.' },
    ),
  },
  open,
);
