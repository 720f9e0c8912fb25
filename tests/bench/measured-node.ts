import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ownerOf } from '../../actors/runtime/index.ts';
import config from '../../cluster.config.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';

/**
 * One gateway node in its own process, which reports its heap after a collection and the longest stall of its event
 * loop: `node --expose-gc measured-node SIMULATOR_PORT`. Sends over IPC: `{port, key}` once it serves, then an
 * answer to every question.
 */
export type Question = 'weigh' | 'stalls' | 'committed';

/** Live bytes: heap and buffers after a collection; `rss` is the whole process. */
/** When a file was committed for the first time since the last question, wall ms with fractions; null: none was. */
export type Committed = number | null;

export interface Weight {
  readonly live: number;
  readonly rss: number;
}

/** Longest stall of the event loop since the last question, ms. */
export interface Stalls {
  readonly maxMs: number;
  readonly p999Ms: number;
}

const LIMITS = 1e9;
const MANY = 8_192;
const STEP_MS = 1;
const DRAIN_MS = 500;

async function serve(simulatorPort: string): Promise<void> {
  const cluster = await startCluster({
    simulators: [],
    providers: [simulatedProvider('sim-a', `http://127.0.0.1:${simulatorPort}/v1`)],
    rates: { keyPerMinute: LIMITS, endpointPerMinute: LIMITS, addressPerMinute: LIMITS },
    edge: { requestsMax: MANY, connectionsMax: MANY, connectionsPerAddressMax: MANY, drainGraceMs: DRAIN_MS },
    events: { streamsMax: MANY, streamsPerAccountMax: MANY, streamsPerKeyMax: MANY },
    upstream: { connectionsPerOriginMax: MANY },
    // Work in the background rests as configured, and not as in the tests of the API.
    overload: { restFactor: config.overload.restFactor },
  });
  const { key, account } = await cluster.fund('1000000');
  let committedAt: Committed = null;
  // A notice of the node's own commits comes with the commit.
  cluster.nodes[0]?.cluster.changes.watch(ownerOf(account), (address) => {
    if (address?.startsWith('file:')) committedAt ??= performance.timeOrigin + performance.now();
  });
  const delay = monitorEventLoopDelay({ resolution: STEP_MS });
  delay.enable();
  const answers = {
    committed: () => committed(),
    weigh: (): Weight => {
      for (let i = 0; i < 3; i++) globalThis.gc?.();
      const { heapUsed, external, rss } = process.memoryUsage();
      return { live: heapUsed + external, rss };
    },
    stalls: (): Stalls => {
      const reported = { maxMs: delay.max / 1e6, p999Ms: delay.percentile(99.9) / 1e6 };
      delay.reset();
      return reported;
    },
  };
  const committed = (): Committed => {
    const at = committedAt;
    committedAt = null;
    return at;
  };
  process.on('message', (question: Question) => process.send?.(answers[question]()));
  // Also removes the folder; does not wait for open streams.
  process.on('disconnect', () => void cluster.close().finally(() => process.exit(0)));
  process.send?.({ port: Number(new URL(cluster.baseUrls[0] as string).port), key });
}

await serve(process.argv[2] ?? '');
