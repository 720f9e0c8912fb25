import { type ClusterNode, type NodeParts, startNode } from '../../../actors/runtime/node.ts';
import { systemClock, systemRandom } from '../../../actors/runtime/system/clock.ts';
import { GrpcTransport } from '../../../actors/runtime/transports/grpc/transport.ts';
import config from '../../../cluster.config.ts';

/**
 * A runtime node without a gateway: by default on the system clock and over gRPC on loopback. Its activities begin at once,
 * unless `serves` is false.
 */
export async function startBareNode(
  parts: Pick<NodeParts, 'name' | 'kinds' | 'store' | 'onDead'> & Partial<NodeParts> & { readonly serves?: boolean },
): Promise<ClusterNode> {
  const node = await startNode({
    grpcAddress: '127.0.0.1:0',
    operatorUrl: () => `http://${parts.name}`,
    host: 'test',
    pid: process.pid,
    clock: systemClock,
    random: systemRandom,
    limits: config.runtime,
    activityGraceMs: config.activities.graceMs,
    secret: 'cluster secret',
    configDigest: 'digest',
    transport: (own) => new GrpcTransport(own),
    log: () => {},
    onDrain: () => {},
    ...parts,
  });
  if (parts.serves !== false) node.serve();
  return node;
}
