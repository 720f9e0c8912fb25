import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { preferred } from '../../../../../actors/runtime/cluster/shards/shard-map.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const nodes = (count: number): { name: string }[] => Array.from({ length: count }, (_, i) => ({ name: `n${i + 1}` }));
const owners = (count: number): (string | undefined)[] =>
  Array.from({ length: 256 }, (_, shard) => preferred(shard, nodes(count))?.name);

it('a node that joins takes shards from the others and moves none between them', () => {
  for (let count = 1; count < 8; count++) {
    const [before, after] = [owners(count), owners(count + 1)];
    const moved = after.filter((owner, shard) => owner !== before[shard]);
    assert.ok(moved.every((owner) => owner === `n${count + 1}`));
    assert.ok(moved.length > 0 && moved.length < (256 / (count + 1)) * 1.6, `${moved.length} of ${count + 1}`);
  }
});

it('the order of the nodes does not matter, and an empty list has no owner', () => {
  const shuffled = [nodes(5)[3], nodes(5)[0], nodes(5)[4], nodes(5)[2], nodes(5)[1]] as { name: string }[];
  for (let shard = 0; shard < 256; shard++) {
    assert.is(preferred(shard, shuffled)?.name, preferred(shard, nodes(5))?.name);
  }
  assert.is(preferred(1, []), null);
});

const STABLE = 'n1 n3 n2 n1 n3 n1 n2 n3 n2 n1 n3 n3'.split(' ');

it('the choice is stable across releases', () => {
  assert.equal(owners(3).slice(0, 12), STABLE);
});

test.run();
