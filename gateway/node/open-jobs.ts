import { kinds } from '../../actors/kinds.ts';
import type { NodeParts } from '../../actors/runtime/node.ts';
import { lineHandler } from '../jobs/batch/run-line.ts';
import { resultsHandler } from '../jobs/batch/write-results.ts';
import { settleHandler } from '../jobs/deposits/settle.ts';
import { abortHandler } from '../jobs/video/abort-handler.ts';
import { removalHandler } from '../jobs/video/remove-clip.ts';
import { renderHandler } from '../jobs/video/render-handler.ts';
import { deliverHandler } from '../jobs/webhook/deliver.ts';
import type { NodeContext } from './node-options.ts';
import type { Gateway } from './open-gateway.ts';

/**
 * The kinds of actor of one node, and the handlers of the activities that their charts perform. Activities begin once
 * the node serves: the gateway is open then.
 */
export function openJobs(
  { options }: NodeContext,
  gateway: () => Pick<Gateway, 'outbound' | 'jobs' | 'webhooks' | 'payments'>,
): Required<Pick<NodeParts, 'kinds' | 'activities' | 'activityGraceMs'>> {
  const { config, ports = {} } = options;
  return {
    kinds: [...kinds, ...(ports.kinds ?? [])],
    activities: {
      line: lineHandler(() => gateway().jobs),
      results: resultsHandler(() => gateway().jobs),
      deliver: deliverHandler(() => gateway().webhooks, config.webhooks),
      settle: settleHandler(() => gateway().payments, config.deposits.payments),
      removal: removalHandler(() => gateway().jobs),
      render: renderHandler(() => gateway().jobs, config.renders),
      abort: abortHandler(() => gateway().jobs, config.renders),
      ...ports.activities?.(() => gateway().outbound),
    },
    activityGraceMs: config.activities.graceMs,
  };
}
