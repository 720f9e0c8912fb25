import type { Member } from './member.ts';
import { preferred } from './rendezvous.ts';

const SWEEPER_SHARD = 0;

/** True on one node of the cluster: the one shard 0 prefers among those that stay. False without fresh contact. */
export function isSweeper(self: string, member: Member): boolean {
  const { nodes, live } = member.view;
  const staying = nodes.filter((row) => row.state === 'up' && live.has(row.incarnation));
  return preferred(SWEEPER_SHARD, staying)?.incarnation === self && member.fresh;
}
