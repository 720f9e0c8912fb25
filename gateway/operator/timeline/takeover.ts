/**
 * A takeover on a time line, made of stored events alone, so that it can be read after every node has ended: the last
 * heartbeat of the node, its death, the claims of its shards, and what its successors did first.
 */
import { GENERATION_OUTCOME } from '../../../actors/account/generation.ts';
import { CLUSTER_LOG } from '../../../actors/cluster-log/cluster-log.machine.ts';
import { resumptionsOf } from '../../../actors/cluster-log/cluster-log.ts';
import type { Cluster, ClusterEvent, Resumption } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { walk } from '../lists/walk.ts';

/** Events behind a death among which the claims of its shards are found. */
const EVENTS_AFTER = 200;
/** A request at the dead node began at most so long before its last heartbeat. */
const STREAM_MS_MAX = 3_600_000;
const STREAMS_MAX = 20;

interface Moment {
  /** Store time, ms. */
  readonly at: number;
  readonly phase: 'beat' | 'suspected' | 'died' | 'claimed' | 'committed' | 'resumed' | 'ended';
  /** The node that it happened at. */
  readonly node: string;
  readonly what: string;
  /** Address of an actor, and the version of its step, where the moment is one. */
  readonly actor: string | null;
  readonly version: number | null;
}

type Reader = Pick<Cluster, 'operator' | 'rows'>;

/** Null: no death has this number. */
export async function takeoverOf({ operator, rows }: Reader, n: number): Promise<object | null> {
  const [[died], newest] = await Promise.all([
    operator.events({ after: n + 1, limit: 1 }),
    operator.events({ after: n + EVENTS_AFTER, limit: EVENTS_AFTER }),
  ]);
  if (died === undefined || died.n !== n || died.type !== 'died') return null;
  const claims = newest.filter(({ type, fromIncarnation: from }) => type === 'claimed' && from === died.incarnation);
  const [reports, ended] = await Promise.all([resumptionsOf(rows, died.incarnation), endedAt(rows, died)]);
  const resumptions = reports.map(withoutLog);
  const moments = [
    ...deathOf(died),
    ...claims.map(claimOf),
    ...resumptions.flatMap(firstCommitOf),
    ...resumptions.flatMap(stepsOf),
    ...ended.map((row) => endOf(row, died.node)),
  ];
  return {
    n,
    node: died.node,
    incarnation: died.incarnation,
    at: died.at,
    why: died.why,
    moments: moments.sort((a, b) => a.at - b.at),
    shards: claims.flatMap(shardsOf),
    actors: resumptions.flatMap(({ node, kinds }) => kinds.map(({ kind, actors }) => ({ node, kind, actors }))),
  };
}

/** The log that records them is no work. */
function withoutLog({ kinds, ...resumption }: Resumption): Resumption {
  return { ...resumption, kinds: kinds.filter(({ kind }) => kind !== CLUSTER_LOG) };
}

const NO_ACTOR = { actor: null, version: null } as const;

function deathOf({ at, node, why, lastBeatAt, suspectedAt }: ClusterEvent): readonly Moment[] {
  const died: Moment = { ...NO_ACTOR, at, phase: 'died', node, what: `declared dead: ${why ?? 'its process ended'}` };
  return [
    ...(lastBeatAt === null
      ? []
      : [{ ...NO_ACTOR, at: lastBeatAt, phase: 'beat' as const, node, what: 'last heartbeat' }]),
    ...(suspectedAt === null
      ? []
      : [{ ...NO_ACTOR, at: suspectedAt, phase: 'suspected' as const, node, what: 'suspected: its link ended' }]),
    died,
  ];
}

function claimOf({ beganAt, node, moves }: ClusterEvent): Moment {
  const epochs = (moves ?? []).map(([, epoch]) => epoch);
  const [low, high] = [Math.min(...epochs), Math.max(...epochs)];
  const under = low === high ? `epoch ${low}` : `epochs ${low} to ${high}`;
  return {
    ...NO_ACTOR,
    at: beganAt,
    phase: 'claimed',
    node,
    what: `claimed ${counted(epochs.length, 'shard')} under ${under}`,
  };
}

function firstCommitOf({ firstCommitAt, node, loaded }: Resumption): readonly Moment[] {
  const what = `first commit; ${counted(loaded, 'actor')} loaded by the last report`;
  return [{ ...NO_ACTOR, at: firstCommitAt, phase: 'committed', node, what }];
}

function stepsOf({ node, kinds }: Resumption): readonly Moment[] {
  return kinds
    .flatMap(({ steps }) => steps)
    .map(({ at, address, version, event, from, to, epoch }) => {
      const change = from === to ? '' : `, ${from} to ${to}`;
      return { at, phase: 'resumed', node, what: `${event}${change}, epoch ${epoch}`, actor: address, version };
    });
}

function endOf(
  { endedAt, generation, model, streamed, key }: Generation & { readonly endedAt: number },
  node: string,
): Moment {
  const what = `${streamed ? 'stream' : 'request'} ${generation} of ${model} ended with its node, nothing is charged`;
  return { at: endedAt, phase: 'ended', node, what, actor: key, version: null };
}

/** Requests that the dead node had and whose holds were released after its death, the newest. */
async function endedAt(rows: Reader['rows'], { at, incarnation, lastBeatAt }: ClusterEvent) {
  const wasThere = ({ gateway, endedAt }: Generation): boolean =>
    gateway === incarnation && endedAt !== null && endedAt >= (lastBeatAt ?? at);
  const { rows: found } = await walk(rows, {
    streams: [{ collection: 'generation', where: { column: GENERATION_OUTCOME, equals: 'released' } }],
    after: { sort: at + 1, id: '' },
    from: at - STREAM_MS_MAX,
    limit: STREAMS_MAX,
    keeps: ({ body }) => wasThere(JSON.parse(body) as Generation),
  });
  return found.map(({ body }) => JSON.parse(body) as Generation & { readonly endedAt: number });
}

function shardsOf({ at, beganAt, node, moves }: ClusterEvent) {
  const last = Math.max(1, (moves?.length ?? 0) - 1);
  return (moves ?? []).map(([shard, epoch], nth) => {
    return { shard, epoch, node, at: Math.round(beganAt + ((at - beganAt) * nth) / last) };
  });
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** Lists show how many shards moved; which ones is in the takeover. */
export function shownEvent({ moves, ...event }: ClusterEvent): object {
  return { ...event, shards: moves === null ? null : moves.length };
}
