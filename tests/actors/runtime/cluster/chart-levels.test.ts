import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChartRange } from '../../../../actors/runtime/actor/charts/chart-range.ts';
import type { RegisteredKind } from '../../../../actors/runtime/actor/charts/register.ts';
import { ChartLevels } from '../../../../actors/runtime/cluster/chart-levels.ts';
import type { Member } from '../../../../actors/runtime/cluster/membership/member.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const NEW: ChartRange = { loads: 1, writes: 1, version: 2 };
const OLD: ChartRange = { loads: 1, writes: 1, version: 1 };

/** Node n1 of the new build; `peers` are the others, null before one has announced its range. */
function open(peers: Record<string, ChartRange | null>) {
  const kind = { name: 'key', version: 2, upcast: () => null, downcast: () => null, level: 2 };
  const kinds = [kind] as unknown as readonly RegisteredKind[];
  const lines: object[] = [];
  const levels = new ChartLevels({
    self: 'n1',
    kinds,
    member: () =>
      ({
        view: { nodes: ['n1', ...Object.keys(peers)].map((incarnation) => ({ incarnation, state: 'up' })) },
      }) as unknown as Member,
    chartsOf: (incarnation) => {
      const range = peers[incarnation];
      return range == null ? null : { key: range };
    },
    store: { actorCounts: async () => [] },
    log: (line) => void lines.push(line),
  });
  return { kind, lines, levels, peers };
}

it('the start of one build logs no other chart version, in whichever order its nodes are seen', () => {
  const { kind, lines, levels, peers } = open({ n2: null });
  for (const change of [() => {}, () => Object.assign(peers, { n2: NEW }), () => Object.assign(peers, { n3: null })]) {
    change();
    levels.settle();
  }
  Object.assign(peers, { n3: NEW });
  levels.settle();
  assert.equal([kind.level, lines], [2, []]);
});

it('a member of another build, and its end, are logged with the version that is written from then on', () => {
  const { kind, lines, levels, peers } = open({ n2: OLD });
  levels.settle();
  assert.equal([kind.level, lines], [1, []]);
  delete peers.n2;
  levels.settle();
  peers.n3 = OLD;
  levels.settle();
  assert.equal(
    lines.map((line) => (line as { readonly chart: number }).chart),
    [2, 1],
  );
});

test.run();
