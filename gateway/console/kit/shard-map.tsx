/** Who owns each shard: one square per shard in the colour of its node. The legend and the titles say the names. */

interface OwnedShard {
  readonly shard: number;
  /** Name of its owner; null without one. */
  readonly node: string | null;
  readonly epoch: number;
  /** It has just moved. */
  readonly isMoved?: boolean;
}

const TONES = 6;

interface ShardMapProps {
  readonly shards: readonly OwnedShard[];
  /** Of the nodes, in the order of their colours. */
  readonly names: readonly string[];
  /** What the marked shards are. */
  readonly marked: string;
}

export function ShardMap({ shards, names, marked }: ShardMapProps) {
  const toneOf = (node: string | null): string => {
    const at = node === null ? -1 : names.indexOf(node);
    return at < 0 ? 'none' : `owner-${at % TONES}`;
  };
  const moved = shards.filter(({ isMoved }) => isMoved).length;
  return (
    <>
      <ul class="legend">
        {names.map((name) => (
          <li key={name}>
            <i class={toneOf(name)} /> {name}: {shards.filter(({ node }) => node === name).length}
          </li>
        ))}
        <li>
          <i class="none" /> without owner: {shards.filter(({ node }) => node === null).length}
        </li>
        {moved > 0 && (
          <li>
            <i class="moved" /> {marked}: {moved}
          </li>
        )}
      </ul>
      <div class="shards" role="img" aria-label={`${shards.length} shards by owner, as the legend counts them`}>
        {shards.map(({ shard, node, epoch, isMoved }) => (
          <i
            key={shard}
            class={`${toneOf(node)}${isMoved ? ' moved' : ''}`}
            title={`shard ${shard}: ${node ?? 'no owner'}, epoch ${epoch}`}
          />
        ))}
      </div>
    </>
  );
}
