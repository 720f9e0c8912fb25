import { showKey } from '../../../actors/key/key.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import type { ManagementServices } from '../../management/services.ts';
import { workspaceIdOf } from './key-object.ts';

const NONE_FREE = { limit: 0, remaining: 0, used: 0 };

/**
 * `GET /key`: limits and usage of the credential's key, and the members that strict clients require. The service has no
 * bring-your-own keys and no free tier. (rule K18)
 */
export function keyRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/key',
    policy: 'key',
    body: 'none',
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
