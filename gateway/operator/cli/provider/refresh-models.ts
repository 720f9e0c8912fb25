/** Asks a running cluster to reload models documents. A module of its own, because it loads the HTTP client. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import type { Declared } from '../../../catalogue/declare/declare.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import { outboundUrl } from '../../../outbound/outbound.ts';
import { Pools } from '../../../outbound/pools.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import type { FoundCluster } from '../frame/find-cluster.ts';

/** A refresh may fetch documents from slow addresses, one after the other. */
const REFRESH_MS_MAX = 120_000;
const CONNECT_MS = 2_000;
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

/** Sent to the first node that answers; any node may load any document. @throws ConfigError */
export async function refreshModels(
  { nodes, token }: FoundCluster,
  provider: string | undefined,
): Promise<readonly Declared[]> {
  const outbound = new Pools({ lease: NO_NODE, clock: systemClock, connectionsPerOriginMax: 1, connectMs: CONNECT_MS });
  let unreached = 'no node of this cluster serves now';
  try {
    for (const { operatorUrl, name } of nodes) {
      if (operatorUrl === null) continue;
      const reply = await requestRefresh(outbound, operatorUrl, token, provider).catch((error: unknown) => {
        unreached = `node ${name} does not answer (${lineOf(error)}); try again`;
      });
      if (reply) return declaredIn(reply);
    }
  } finally {
    await outbound.close();
  }
  throw new ConfigError(unreached);
}

interface RefreshReply {
  readonly status: number;
  readonly text: string;
}

async function requestRefresh(
  outbound: Pools,
  at: string,
  token: string,
  provider: string | undefined,
): Promise<RefreshReply> {
  const query = provider === undefined ? '' : `?provider=${encodeURIComponent(provider)}`;
  const reply = await outbound.send({
    method: 'POST',
    url: outboundUrl(at, `/models/refresh${query}`),
    headers: ['authorization', `Bearer ${token}`, 'accept', 'application/json'],
    body: null,
    limits: {
      connectMs: CONNECT_MS,
      firstByteMs: REFRESH_MS_MAX,
      idleMs: REFRESH_MS_MAX,
      totalMs: REFRESH_MS_MAX,
      bodyBytesMax: REPLY_BYTES_MAX,
    },
  });
  return { status: reply.status, text: await reply.body.text() };
}

function declaredIn({ status, text }: RefreshReply): readonly Declared[] {
  const { data, error } = JSON.parse(text) as { readonly data?: readonly Declared[]; readonly error?: string };
  if (status === 200 && data) return data;
  throw new ConfigError(error ?? `the node answered ${status}; see its log`);
}
