import type { FastifyInstance } from 'fastify';
import { showKey } from '../../../actors/key/key.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { exactNumber, renderExact } from '../exact-json.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';

const NONE_FREE = { limit: 0, remaining: 0, used: 0 };

/**
 * `GET /key`: what the presented key may spend and has spent, and the members strict clients insist on: nothing is
 * bring-your-own here, and no tier is free. (spec: inference, Key information; conventions 0.2)
 */
export function registerKey(app: FastifyInstance, { gate, services }: EdgeRoutes): void {
  const none = exactNumber('0');
  const rateLimit = { requests: services.rates.keyPerMinute, interval: '60s', note: 'Fixed window of one minute' };
  app.get('/key', { onRequest: gate.guard('key') }, async (request, reply) => {
    const caller = await gate.charge(request.raw);
    const view = await showKey(services.cluster, caller.key, services.askMs);
    return reply.type('application/json; charset=utf-8').send(
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
          creator_user_id: null,
          rate_limit: rateLimit,
          organization_id: null,
          workspace_id: ownerOf(caller.key),
          allowed_data_regions: ['global'],
          free_model_daily_requests: NONE_FREE,
        },
      }),
    );
  });
}
