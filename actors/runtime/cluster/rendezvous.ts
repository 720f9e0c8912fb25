/** Which node is preferred for a shard: highest hash of name and shard, so a restarted node gets its shards back. */
export function preferred<N extends { readonly name: string }>(shard: number, nodes: readonly N[]): N | null {
  let best: N | null = null;
  let bestWeight = -1;
  for (const node of nodes) {
    const weight = weigh(node.name, shard);
    if (weight > bestWeight || (weight === bestWeight && best !== null && node.name < best.name)) {
      best = node;
      bestWeight = weight;
    }
  }
  return best;
}

/** FNV-1a over the name and the shard, finished by murmur3's mixer. It must never change. */
function weigh(name: string, shard: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (shard & 0xff), 0x01000193);
  hash = Math.imul(hash ^ (shard >>> 8), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
