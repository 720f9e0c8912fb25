import type { ClusterTls } from '../../../outbound/mutual-tls.ts';
import { readPems } from '../../config/identity.ts';
import type { FoundCluster } from './find-cluster.ts';

/** What this host presents to the nodes of a cluster; undefined without TLS. @throws ConfigError */
export async function tlsTo({ nodes, names }: Pick<FoundCluster, 'nodes' | 'names'>): Promise<ClusterTls | undefined> {
  const files = nodes.find(({ tls }) => tls)?.tls;
  return files === undefined ? undefined : { ...(await readPems(files, 'tls')), names };
}
