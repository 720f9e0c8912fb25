import { PROVIDERS_TOPIC } from '../../actors/provider/provider.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../actors/terms/endpoint.ts';
import { accountAddress, providerAccountId } from '../../actors/terms/ids.ts';
import { wrongKind } from './auth/authentication.ts';
import { callerOf, type RequestContext } from './request-context.ts';

/**
 * The declared provider that the caller's account belongs to. Throws 403 for an account that belongs to none.
 * (rule K11)
 */
export function providerOf(context: RequestContext, { board }: Pick<Cluster, 'board'>): ProviderFacts {
  const { account } = callerOf(context);
  for (const [slug, facts] of board.topic(PROVIDERS_TOPIC)) {
    if (accountAddress(providerAccountId(slug)) === account) return facts as unknown as ProviderFacts;
  }
  throw wrongKind('provider');
}
