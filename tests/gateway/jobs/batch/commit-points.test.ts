import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cluster } from '../../../../actors/runtime/index.ts';
import { watchCommits } from '../../../../gateway/jobs/batch/commit-points.ts';

test('the crash points after a commit are those of this node, in batches only', () => {
  const seen: string[] = [];
  let show: (step: { readonly node: string; readonly event: string }) => void = () => {};
  const watch = (pattern: string, see: typeof show): (() => void) => {
    assert.is(pattern, 'batch:*');
    show = see;
    return () => {};
  };
  watchCommits({ self: { name: 'n1' }, operator: { watch } } as unknown as Cluster, (name) => seen.push(name));
  for (const event of ['batch.submit', 'slot.grant', 'line.done', 'line.failed', 'results.done']) {
    show({ node: 'n1', event });
    show({ node: 'n2', event });
  }
  assert.equal(seen, ['batch.accept.committed', 'line.settled', 'batch.final']);
});

test.run();
