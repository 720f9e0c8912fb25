import { kinds } from '../../actors/kinds.ts';
import type { NodeParts } from '../../actors/runtime/node.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { NodeContext } from './node-options.ts';

/** The kinds of actor of one node, and the handlers of the activities that their charts perform. */
export function openJobs(
  { options }: NodeContext,
  outbound: () => Outbound,
): Required<Pick<NodeParts, 'kinds' | 'activities' | 'activityGraceMs'>> {
  const { config, ports = {} } = options;
  return {
    kinds: [...kinds, ...(ports.kinds ?? [])],
    activities: ports.activities?.(outbound) ?? {},
    activityGraceMs: config.activities.graceMs,
  };
}
