import { createAccount } from '../../../actors/account/account.ts';
import { accountAddress, providerAccountId } from '../../../actors/terms/ids.ts';
import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { type Client, client } from '../keys/client.ts';

const ASK_MS = 30_000;

/** Two nodes with two providers of chat models and one of videos; rate limits are disabled. */
export const openCluster = sharedCluster({
  nodes: 2,
  rates: UNLIMITED,
  simulators: ['sim-a', 'sim-b', 'sim-v'],
});

/** A client with a key of the account that belongs to a provider. */
export async function providerClient(cluster: TestCluster, slug: string, node = 0): Promise<Client> {
  const [first] = cluster.nodes;
  if (!first) throw new Error('a cluster needs a node');
  const account = accountAddress(providerAccountId(slug));
  await createAccount(first.cluster, account, `Provider ${slug}`, paced(ASK_MS));
  const { key } = await cluster.issue(account, { kind: 'provider' });
  return client(cluster.baseUrls, key, node);
}

/** One chat completion; `directive` steers the simulated provider. Resolves with the status and the answer. */
export async function chat(
  cluster: TestCluster,
  key: string,
  request: { readonly model: string; readonly directive?: object; readonly more?: object },
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const content = `@sim ${JSON.stringify(request.directive ?? {})}`;
  const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: request.model, messages: [{ role: 'user', content }], ...request.more }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
