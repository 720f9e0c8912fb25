import type { BoardExchange } from './board-exchange.ts';
import type { Calls } from './calls.ts';
import type { Drain } from './drain.ts';
import type { Member } from './membership/member.ts';
import type { NoticeBoard } from './notice-board.ts';
import type { PeerOrigin } from './peers.ts';
import type { Handoff } from './shards/handoff.ts';
import type { Readiness } from './shards/readiness.ts';
import type { ShardMap } from './shards/shard-map.ts';
import type { Signal } from './signal.ts';
import type { ClusterWatchers } from './watchers.ts';

interface SignalRouterParts {
  readonly map: ShardMap;
  readonly member: Member;
  readonly handoff: Handoff;
  readonly drain: Drain;
  readonly readiness: Readiness;
  readonly exchange: BoardExchange;
  readonly board: NoticeBoard;
  readonly calls: Calls;
  readonly watchers: ClusterWatchers;
}

/** Routes each control signal of a peer to the part that handles it; decides nothing itself. */
export function signalRouter(parts: SignalRouterParts): (from: PeerOrigin, signal: Signal) => void {
  const { map, member, handoff, drain, readiness, exchange, board, calls, watchers } = parts;
  return (from, signal) => {
    const { incarnation } = from;
    switch (signal.type) {
      case 'ping':
        break;
      case 'shards':
        for (const [shard, owner, epoch] of signal.owners) map.learn({ shard, owner, epoch });
        readiness.check();
        break;
      case 'ready':
        readiness.peerIsReady(incarnation);
        void handoff.balance();
        break;
      case 'draining':
        void member.beat();
        break;
      case 'leaving':
        drain.leaves(incarnation);
        break;
      case 'dead':
        member.learnDead(signal.incarnations, signal.why);
        break;
      case 'board.digest':
        exchange.compare(incarnation, signal.entries, signal.last);
        break;
      case 'board.items':
        board.apply(signal.items);
        break;
      case 'board.synced':
        readiness.synced(incarnation);
        break;
      case 'call':
        void calls.serve(from, signal.id, signal.call);
        break;
      case 'answer':
        calls.answered(incarnation, signal.id, signal.body, signal.error);
        break;
      case 'watch.start':
        watchers.start(from, signal.topics);
        break;
      case 'watch.stop':
        watchers.stop(incarnation, signal.topics);
        break;
      case 'watch.seen':
        watchers.seen(signal);
        break;
      default:
        signal satisfies never;
    }
  };
}
