import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { watchCommits } from '../../../gateway/node/open-gateway.ts';

test('the crash points after a commit are those of this node, by kind and event', () => {
  const seen: string[] = [];
  const watched = new Map<string, (step: { readonly node: string; readonly event: string }) => void>();
  const watch = (pattern: string, see: (step: { readonly node: string; readonly event: string }) => void) => {
    watched.set(pattern, see);
    return () => {};
  };
  watchCommits({ self: { name: 'n1' }, operator: { watch } } as unknown as Cluster, (name) => seen.push(name));
  for (const event of ['batch.submit', 'slot.grant', 'line.done', 'line.failed', 'results.done', 'deliver.done']) {
    watched.get('batch:*')?.({ node: 'n1', event });
    watched.get('batch:*')?.({ node: 'n2', event });
  }
  assert.equal(seen.splice(0), ['batch.accept.committed', 'line.settled', 'batch.final']);
  for (const event of ['webhook.create', 'deliver.done', 'deliver.failed', 'line.done']) {
    watched.get('webhook:*')?.({ node: 'n1', event });
  }
  assert.equal(seen, ['hook.recorded']);
});

test.run();
