/** One actor as the operator API shows it. */
import type { Cluster, Inspection } from '../../../actors/runtime/index.ts';
import { linksOf } from '../actor-page/actor-links.ts';
import { tabOfKind } from '../actor-page/kind-tabs.ts';
import { ActorNames } from '../names.ts';

/** The answer of `GET /api/actors/:address`. */
export type ActorView = Awaited<ReturnType<typeof actorView>>;

export async function actorView(cluster: Cluster, found: Inspection) {
  const { explanation: why, waiting, activities, deadLetters, ...seen } = found;
  const { address, version, durableVersion } = seen;
  const names = new ActorNames(cluster.rows);
  const [label, links, stored] = await Promise.all([
    names.of(address),
    linksOf(cluster, found, names),
    cluster.operator.actors({ order: 'address', address, limit: 1 }),
  ]);
  const lane = (...of: readonly string[]) => waiting.filter((one) => of.includes(one.lane));
  return {
    ...seen,
    since: stored.actors[0]?.since ?? null,
    label,
    tab: tabOfKind(found.kind)?.name ?? null,
    why,
    uncommitted: version - durableVersion,
    mailbox: { system: lane('deferred', 'system'), finish: lane('finish'), start: lane('start') },
    activities: activities.map(({ runner, runnerNode, begun: running, lastFailure, ...activity }) => ({
      ...activity,
      running,
      runner: runnerNode ?? runner,
      incarnation: runner,
      failure: failureIn(lastFailure),
    })),
    deadLetters: deadLetters.map(({ failure: reason, ...letter }) => ({ ...letter, reason })),
    links,
  };
}

function failureIn(text: string | null): { readonly code: string; readonly message: string } | null {
  if (text === null) return null;
  const [, code = 'failed', message = text] = /^([a-z][\w-]*): (.*)$/s.exec(text) ?? [];
  return { code, message };
}
