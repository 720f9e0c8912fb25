import type { Cluster } from '../../actors/runtime/index.ts';

/** The crash points that lie after a commit of an actor: by kind, and by the event whose step was committed. */
const POINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  batch: {
    'batch.submit': 'batch.accept.committed',
    'line.done': 'line.settled',
    'results.done': 'batch.final',
  },
  'video-job': {
    'job.submit': 'vjob.accepted',
    'render.begin': 'vjob.dispatched',
    'render.submitted': 'vjob.submitted',
    'render.done': 'vjob.charged',
  },
  webhook: { 'deliver.done': 'hook.recorded' },
  'issuance-code': { 'code.trade': 'authcode.consumed' },
  payment: { 'settle.done': 'payment.settled', 'payment.credited': 'payment.credited' },
};

/** Reports these commits of this node. Only nodes with an armed crash point watch. */
export function watchCommits(cluster: Cluster, crashpoint: (name: string) => void): void {
  for (const [kind, points] of Object.entries(POINTS)) {
    cluster.operator.watch(`${kind}:*`, ({ node, event }) => {
      const point = points[event];
      if (point !== undefined && node === cluster.self.name) crashpoint(point);
    });
  }
}
