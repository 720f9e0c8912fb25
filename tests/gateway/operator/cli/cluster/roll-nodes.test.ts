/** Nodes are restarted one after another; the first that does not come back ends the roll. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RolledNode, rollNodes } from '../../../../../gateway/operator/cli/cluster/roll-nodes.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const BACK_MS = 10_000;
const START_MS = 3_000;

/** Nodes whose drain restarts them at once, on a clock that jumps to the next timer. */
class Stage {
  now = 0;
  readonly said: string[] = [];
  readonly drained: string[] = [];
  readonly nodes = new Map<string, RolledNode>();
  /** What a node is after its drain; null: it stays away. */
  restarted: (name: string) => RolledNode | null = () => ({ incarnation: 'new', state: 'ready', config: 'new' });
  readonly #backAt = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (const name of names) this.nodes.set(name, { incarnation: 'old', state: 'ready', config: 'old' });
  }

  roll(): Promise<readonly string[]> {
    return rollNodes([...this.nodes.keys()], {
      clock: {
        now: () => this.now,
        monotonic: () => this.now,
        after: (delayMs, run) => {
          this.now += delayMs;
          queueMicrotask(run);
          return () => {};
        },
      },
      look: async (name) => this.#look(name),
      drain: async (name) => {
        this.drained.push(name);
        this.#backAt.set(name, this.now + START_MS);
      },
      isNew: (config) => config === 'new',
      ...{ drainMs: 60_000, backMs: BACK_MS },
      report: (line) => this.said.push(line),
    });
  }

  #look(name: string): RolledNode | null {
    const backAt = this.#backAt.get(name);
    if (backAt === undefined) return this.nodes.get(name) ?? null;
    const next = this.restarted(name);
    if (next === null || (next.incarnation === 'new' && this.now < backAt)) return null;
    return next;
  }
}

async function failureOf(stage: Stage): Promise<string> {
  return stage.roll().then(
    () => 'it rolled',
    (error: Error) => error.message,
  );
}

it('one node after another is drained, each when the one before serves', async () => {
  const stage = new Stage(['n1', 'n2', 'n3']);
  assert.equal(await stage.roll(), ['n1', 'n2', 'n3']);
  assert.equal(
    stage.said,
    ['n1', 'n2', 'n3'].flatMap((name) => [`${name} drains`, `${name} serves with the new configuration`]),
  );
  assert.ok(stage.now >= 3 * START_MS);
});

it('a node that runs with it already is left alone, and one that is away is waited for', async () => {
  const stage = new Stage(['n1', 'n2']);
  stage.nodes.set('n1', { incarnation: 'a', state: 'ready', config: 'new' });
  stage.nodes.set('n2', { incarnation: 'a', state: 'starting', config: 'new' });
  assert.equal(await stage.roll(), ['n2']);
  assert.equal(stage.drained, ['n2']);
});

it('a node that does not come back stops the roll, and no further node is touched', async () => {
  const stage = new Stage(['n1', 'n2', 'n3']);
  stage.restarted = (name) => (name === 'n2' ? null : { incarnation: 'new', state: 'ready', config: 'new' });
  assert.is(
    await failureOf(stage),
    'n2 did not come back within 10 s; the former configuration still runs on n3; see `troupe logs`, correct the cause and run the command again',
  );
  assert.equal(stage.drained, ['n1', 'n2']);
});

it('a node that comes back and does not serve, or with another configuration, stops the roll', async () => {
  const stage = new Stage(['n1', 'n2']);
  stage.restarted = () => ({ incarnation: 'new', state: 'starting', config: 'new' });
  assert.match(await failureOf(stage), /^n1 did not come back within 10 s; the former configuration still runs on n2;/);
  const other = new Stage(['n1', 'n2']);
  other.restarted = () => ({ incarnation: 'new', state: 'ready', config: 'old' });
  assert.match(
    await failureOf(other),
    /^n1 came back with another configuration than the file; the former configuration still runs on n2;/,
  );
  assert.equal(other.drained, ['n1']);
});

it('a drain without an end stops the roll', async () => {
  const stage = new Stage(['n1', 'n2']);
  stage.restarted = () => ({ incarnation: 'old', state: 'draining', config: 'old' });
  assert.match(await failureOf(stage), /^n1 still drains after 60 s; the former configuration still runs on n2;/);
});

test.run();
