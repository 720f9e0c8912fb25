import type { ClusterView } from '../../actors/runtime/index.ts';

/** `The nodes run, and the store is out of reach since ...: ...`; null while it answers. */
export function outageWords({ outage }: Pick<ClusterView, 'outage'>): string | null {
  if (outage === null) return null;
  return `The nodes run, and the store is out of reach since ${new Date(outage.since).toISOString()}: ${outage.why}`;
}
