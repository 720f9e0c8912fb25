import type { RunningRefresh } from '../../../actors/provider/refreshes.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { ProviderEarnings } from '../../jobs/earnings/provider-earnings.ts';

/** What the routes of providers take of their node. */
export interface ProviderParts {
  readonly cluster: Cluster;
  readonly askMs: number;
  /** Begins to read a provider's models document; null for an unknown slug. */
  readonly refreshModels: (slug: string) => Promise<RunningRefresh | null>;
}

export interface EarningsParts {
  readonly cluster: Pick<Cluster, 'now'>;
  readonly earnings: ProviderEarnings;
}
