/** What each node measures of itself, as operators see it of all nodes at any of them. */
import { statfs } from 'node:fs/promises';
import type { Cluster, Json } from '../../../actors/runtime/index.ts';
import type { RecentTimes } from './recent-times.ts';

/** The name of the question that nodes ask each other. */
export const NODE_GAUGES = 'node.gauges';

export interface NodeGauges {
  /** Of the newest 1,024 commits; null before the first. */
  readonly commitP50Ms: number | null;
  readonly commitP99Ms: number | null;
  /** Of the event loop since the start of the node. */
  readonly loopDelayP99Ms: number;
  readonly heapUsedBytes: number;
  /** The disk of its store has room only for work under way. */
  readonly storeFull: boolean;
  /** Free for this process on the disk of its data folder; null if it is unknown. */
  readonly diskFreeBytes: number | null;
}

interface Measured {
  readonly commits: Pick<RecentTimes, 'percentile'>;
  readonly loopDelayP99Ms: number;
  readonly storeFull: boolean;
  /** Path of the data folder. */
  readonly data: string;
}

export async function measureNode({ commits, loopDelayP99Ms, storeFull, data }: Measured): Promise<NodeGauges> {
  return {
    commitP50Ms: commits.percentile(50),
    commitP99Ms: commits.percentile(99),
    loopDelayP99Ms,
    heapUsedBytes: process.memoryUsage().heapUsed,
    storeFull,
    diskFreeBytes: await freeBytesAt(data),
  };
}

async function freeBytesAt(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** By the name of the node; one that does not answer within a second is missing. */
export async function gaugesOfNodes({ operator }: Pick<Cluster, 'operator'>): Promise<ReadonlyMap<string, NodeGauges>> {
  const answers = await operator.askHosts(NODE_GAUGES, null);
  return new Map(answers.flatMap(({ node, answer }) => (answer === null ? [] : [[node, gaugesIn(answer)] as const])));
}

function gaugesIn(answer: Json): NodeGauges {
  return answer as unknown as NodeGauges;
}
