import { type TSchema, Type } from 'typebox';
import { showKey } from '../../../actors/key/key.ts';
import { described, objectOf, orNull } from '../../dialects/request/members.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import type { ManagementServices } from '../../management/services.ts';
import type { Operations } from '../wire/operation.ts';
import { workspaceIdOf } from './key-object.ts';

const NONE_FREE = { limit: 0, remaining: 0, used: 0 };

const text = Type.String();
const flag = Type.Boolean();
const usd = Type.Number({ description: 'USD, exact digits.' });
const whole = Type.Integer();
const instant = Type.String({ format: 'date-time' });
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

const ownKeySchema = Type.Object({
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
      { additionalProperties: true, description: 'How many requests the key may send.' },
    ),
    organization_id: Type.Null({ description: 'Never set by this service.' }),
    allowed_data_regions: Type.Array(text, { description: 'Regions in which requests may be served; empty: any.' }),
    free_model_daily_requests: Type.Object(
      {},
      { additionalProperties: true, description: 'Always 0: there is no free tier.' },
    ),
  }),
});

/** What the document says of the routes. */
export const OWN_KEY_OPERATIONS: Operations = {
  'GET /key': {
    key: 'inference',
    summary: 'Limits and usage of the key that was sent',
    description: 'Sums of its life, this UTC day, week and month.',
    answers: 'The key, without its text.',
    reply: { OwnKey: ownKeySchema },
  },
};

/**
 * `GET /key`: limits and usage of the credential's key, and the members that strict clients require. The service has no
 * bring-your-own keys and no free tier. (rule K18)
 */
export function keyRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/key',
    policy: 'key',
    answer: (context) => showOwnKey(context, services),
  };
}

async function showOwnKey(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const { key } = callerOf(context);
  const view = await showKey(services.cluster, key, services.askMs);
  const none = exactNumber('0');
  return jsonAnswer(
    renderExact({
      data: {
        label: view.label,
        name: view.name,
        limit: exactNumber(view.limit),
        limit_remaining: exactNumber(view.limitRemaining),
        limit_reset: view.limitWindow,
        usage: exactNumber(view.usage),
        usage_daily: exactNumber(view.usageDaily),
        usage_weekly: exactNumber(view.usageWeekly),
        usage_monthly: exactNumber(view.usageMonthly),
        is_free_tier: false,
        expires_at: view.expiresAt === null ? null : new Date(view.expiresAt).toISOString(),
        byok_usage: none,
        byok_usage_daily: none,
        byok_usage_weekly: none,
        byok_usage_monthly: none,
        include_byok_in_limit: false,
        is_management_key: false,
        is_provisioning_key: false,
        creator_user_id: view.member,
        rate_limit: {
          requests: view.perMinute ?? services.config.rates.keyPerMinute,
          interval: '60s',
          note: 'Fixed window of one minute',
        },
        organization_id: null,
        workspace_id: workspaceIdOf(view),
        hash: view.handle,
        updated_at: view.updatedAt === null ? null : new Date(view.updatedAt).toISOString(),
        allowed_data_regions: ['global'],
        free_model_daily_requests: NONE_FREE,
      },
    }),
  );
}
