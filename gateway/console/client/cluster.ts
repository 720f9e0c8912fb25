/** The cluster as the feed tells it: nodes and owners of shards at this moment. */
import { useRef, useState } from 'preact/hooks';
import { type MovedShard, type SeenNode, useClusterFeed } from './feed.ts';

interface SeenCluster {
  /** Store time of the newest message, ms; 0 before the first. */
  readonly at: number;
  /** By incarnation; empty before the first message. */
  readonly nodes: ReadonlyMap<string, SeenNode>;
  /** Shards that moved while this page is open, with the store time at which the page learned it. */
  readonly moved: ReadonlyMap<number, MovedShard & { readonly at: number }>;
}

const NOTHING: SeenCluster = { at: 0, nodes: new Map(), moved: new Map() };

/** Calls `changed` when a list of nodes, shards, events or alarms is to be read again. */
export function useCluster(changed: () => void): SeenCluster {
  const [seen, setSeen] = useState(NOTHING);
  const states = useRef('');
  useClusterFeed((message) => {
    if (message.type === 'nodes') {
      const { at, nodes } = message;
      setSeen((old) => ({ ...old, at, nodes: new Map(nodes.map((node) => [node.incarnation, node])) }));
      const now = nodes.map(({ incarnation, state, live }) => `${incarnation} ${state} ${live}`).join();
      const isSame = now === states.current;
      states.current = now;
      if (isSame) return;
    }
    if (message.type === 'shards') {
      setSeen((old) => {
        const news = message.moves.map((move) => [move.shard, { ...move, at: old.at }] as const);
        return { ...old, moved: new Map([...old.moved, ...news]) };
      });
    }
    changed();
  });
  return seen;
}
