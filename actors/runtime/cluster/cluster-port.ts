import type { ClusterPort } from '../durable/cluster-port.ts';
import type { ActivityHandler } from '../ports/activity.ts';
import type { Random } from '../ports/random.ts';
import type { Calls } from './calls.ts';
import type { Deaths } from './deaths.ts';
import type { Router } from './router.ts';

const MISSING_MS = 3_000;

/** Parts of a cluster port. Router and calls are created after the engine, so they are passed as functions. */
export interface ClusterPortParts {
  readonly random: Random;
  readonly activities: Readonly<Record<string, ActivityHandler>>;
  readonly router: () => Router;
  readonly calls: () => Calls;
  readonly deaths: Deaths;
}

/** The engine's port to the cluster that it is part of. */
export function openClusterPort({ random, activities, router, calls, deaths }: ClusterPortParts): ClusterPort {
  return {
    random,
    activities,
    // These messages carry a sequence or an attempt number: a receiver that gets one twice acts once.
    send: (to, event, withinMs) => router().ask(to, event, { withinMs, repeat: (same) => same }),
    missing: async (incarnation, attempts) => {
      const reply = await calls().call(incarnation, { verb: 'missing', attempts }, MISSING_MS);
      return reply as unknown as typeof attempts;
    },
    abort: (incarnation, attempts) => {
      // If the peer is unreachable, the attempt's result will be refused and its deadline ends it.
      calls()
        .call(incarnation, { verb: 'abort', attempts }, MISSING_MS)
        .catch(() => {});
    },
    causeOf: (incarnation) => deaths.causeOf(incarnation),
  };
}
