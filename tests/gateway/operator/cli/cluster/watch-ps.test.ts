import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClusterView } from '../../../../../actors/runtime/index.ts';
import { renderPs } from '../../../../../gateway/operator/cli/cluster/look.ts';
import { PS_EVERY_MS, watchPs } from '../../../../../gateway/operator/cli/cluster/watch-ps.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

function viewOf(state: string, more: object = {}): ClusterView {
  const nodes = ['n2', 'n1'].map((name) => ({ name, live: true, state, shards: 128 }));
  return { nodes, unowned: 0, deadLetters: [], quarantined: [], outage: null, ...more } as unknown as ClusterView;
}

/** Watches until there is no further view; a failure takes the place of one. */
async function watched(views: readonly (ClusterView | Error)[], { isTTY = false, json = false } = {}): Promise<string> {
  let written = '';
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const left = [...views];
  await watchPs({
    clock: {
      ...{ now: () => 0, monotonic: () => 0 },
      after: (ms, run) => {
        assert.is(ms, PS_EVERY_MS);
        if (left.length === 0) stop();
        else queueMicrotask(run);
        return () => {};
      },
    },
    read: async () => {
      const next = left.shift() as ClusterView | Error;
      if (next instanceof Error) throw next;
      return next;
    },
    render: ({ nodes }) => `${nodes.length} nodes`,
    out: {
      isTTY,
      write: (text) => {
        written += text;
      },
    },
    ...{ json, stopped },
  });
  return written;
}

const LATER = {
  pid: 1,
  address: '127.0.0.1:1',
  gauges: null,
  why: null,
  startedAt: null,
  restarts: null,
  lastEnd: null,
};

it('ps shows since when a node runs, its restarts of the last hour, and how its last life ended', () => {
  const ages = [59, 12 * 60 + 3, 5 * 3_600 + 720, 3 * 86_400 + 4 * 3_600];
  const lastEnd = { reason: 'ended by SIGKILL', at: 0 };
  const nodes = ages.map((age, nth) => ({
    ...{ name: `n${nth}`, live: true, state: 'up', shards: 1, ...LATER },
    ...{ startedAt: Date.now() - age * 1_000, restarts: { total: 9, lastHour: nth } },
    lastEnd: nth === 0 ? null : lastEnd,
  }));
  const [head = '', ...rows] = renderPs(viewOf('up', { actorCounts: [], shardCount: 4, nodes })).split('\n');
  assert.match(head, /^NODE +STATE +UP +RESTARTS 1H .* LAST END$/);
  assert.match(rows[0] ?? '', /^n0 +up +59s +0 /);
  assert.match(rows[1] ?? '', /^n1 +up +12m 3s +1 .*ended by SIGKILL, 1970-01-01T00:00:00.000Z$/);
  assert.match(rows[2] ?? '', /^n2 +up +5h 12m +2 /);
  assert.match(rows[3] ?? '', /^n3 +up +3d 4h +3 /);
});

it('ps begins with the store that is out of reach: since when, and why, while the nodes run', () => {
  const actorCounts = [{ kind: 'account', state: 'open', chart: 3, count: 2 }];
  const more = { actorCounts, shardCount: 256, outage: { since: 0, why: 'connect ECONNREFUSED' } };
  const nodes = viewOf('up').nodes.map((node) => ({ ...node, ...LATER }));
  const [first, , head, ...rows] = renderPs(viewOf('up', { ...more, nodes })).split('\n');
  assert.is(first, 'The nodes run, and the store is out of reach since 1970-01-01T00:00:00.000Z: connect ECONNREFUSED');
  assert.match(head ?? '', /^NODE +STATE /);
  assert.match(rows[0] ?? '', /^n2 +up /);
  assert.match(renderPs(viewOf('up', { ...more, nodes, outage: null })), /^NODE /);
});

it('outside of a terminal each change is a line, and nothing else is', async () => {
  const draining = viewOf('draining', { deadLetters: [1], outage: { since: 0, why: 'x' } });
  assert.is(
    await watched([viewOf('up'), viewOf('up'), draining, viewOf('up')]),
    [
      'n1 up 128 shards; n2 up 128 shards',
      'n1 draining 128 shards; n2 draining 128 shards; 1 dead letters; the store is out of reach since 1970-01-01T00:00:00.000Z',
      'n1 up 128 shards; n2 up 128 shards',
      '',
    ].join('\n'),
  );
});

it('an unchanged line is repeated twice a minute, so that a closed pipe is noticed', async () => {
  const line = 'n1 up 128 shards; n2 up 128 shards\n';
  assert.is(await watched(Array.from({ length: 31 }, () => viewOf('up'))), line.repeat(3));
});

it('in a terminal the view is drawn in place', async () => {
  const redraw = '\u001b[H\u001b[J';
  assert.is(await watched([viewOf('up'), viewOf('up')], { isTTY: true }), `${redraw}2 nodes\n`.repeat(2));
});

it('with --json each look is a document on a line', async () => {
  const lines = (await watched([viewOf('up'), viewOf('up')], { json: true })).trim().split('\n');
  assert.equal(
    lines.map((line) => (JSON.parse(line) as ClusterView).unowned),
    [0, 0],
  );
});

it('a cluster that is away at the start is an error; later it is shown, and looked for again', async () => {
  const away = new Error('no node answers');
  assert.is(await watched([away]).catch((error: Error) => error.message), 'no node answers');
  assert.is(
    await watched([viewOf('up'), away, viewOf('up')]),
    'n1 up 128 shards; n2 up 128 shards\nno node answers\nn1 up 128 shards; n2 up 128 shards\n',
  );
});

test.run();
