import type { Cluster } from '../../../actors/runtime/index.ts';

/** The crash points of a batch that lie after a commit, by the event whose step was committed. */
const POINTS: Readonly<Record<string, string>> = {
  'batch.submit': 'batch.accept.committed',
  'line.done': 'line.settled',
  'results.done': 'batch.final',
};

/** Reports the commits of batches of this node. Only nodes with an armed crash point watch. */
export function watchCommits(cluster: Cluster, crashpoint: (name: string) => void): void {
  cluster.operator.watch('batch:*', ({ node, event }) => {
    const point = POINTS[event];
    if (point !== undefined && node === cluster.self.name) crashpoint(point);
  });
}
