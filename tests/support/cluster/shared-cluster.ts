import type { Simulator } from '../../../gateway/simulator/simulator.ts';
import { watchFetch } from '../stream/watched-fetch.ts';
import { type ClusterOptions, startUnwatched, type TestCluster } from './start-cluster.ts';

/** Set by scripts/run-tests.mjs: closes resources shared by several test files, after the last of them. */
interface Runner {
  readonly TROUPE_AT_END?: (close: () => Promise<void>) => void;
}

/** Far above the requests of a test file per minute. */
const REQUESTS_PER_MINUTE = 1e9;
export const UNLIMITED = {
  keyPerMinute: REQUESTS_PER_MINUTE,
  addressPerMinute: REQUESTS_PER_MINUTE,
  endpointPerMinute: REQUESTS_PER_MINUTE,
};

type Shared = Awaited<ReturnType<typeof startUnwatched>>;

/**
 * One cluster for all test files of a folder: the first file that opens it starts it, the runner closes it after the
 * last file; a file that runs alone closes it itself. Each file gets its own view: answers are checked against the
 * grammar from `open` to `close`, and only provider calls since `open` are visible. Files create their own accounts and
 * keys and never kill, drain or flood a node; a file that does so starts a cluster with `startCluster`.
 */
export function sharedCluster(options: ClusterOptions): () => Promise<TestCluster> {
  const { TROUPE_AT_END: atEnd } = globalThis as Runner;
  let started: Promise<Shared> | null = null;
  return async () => {
    if (started === null) {
      started = startUnwatched(options);
      const shared = started;
      atEnd?.(async () => (await shared).close());
    }
    const cluster = await started;
    const watch = watchFetch(cluster.origins);
    return {
      ...cluster,
      simulators: cluster.simulators.map(callsFromNow),
      async close() {
        await watch.end();
        if (atEnd) return;
        started = null;
        await cluster.close();
      },
    };
  };
}

function callsFromNow(simulator: Simulator): Simulator {
  const from = simulator.calls.length;
  return {
    ...simulator,
    get calls() {
      return simulator.calls.slice(from);
    },
  };
}
