import { type ChildProcess, spawn } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { NodeSeen, Owners } from '../support/auditor/store-view.ts';
import { bounded } from '../support/bounded.ts';
import { Nemesis } from './nemesis.ts';

const it = bounded(test);
/** The store shows the next life as a member, which owns a shard, in so many looks before it serves. */
const LOOKS_BEFORE_SERVING = 5;

/** Two nodes as the store and the launcher show them, of which one serves. */
class Pair {
  readonly victim: ChildProcess = spawn('sleep', ['600']);
  readonly starting: ChildProcess = spawn('sleep', ['600']);
  /** Processes that serve, by the launcher. */
  serving: number[] = [this.victim.pid ?? 0];
  /** The next life of `n1`; it serves after some looks at it. */
  looks = 0;
  #ended = false;

  constructor() {
    this.victim.on('exit', () => {
      this.#ended = true;
      this.serving = [];
    });
  }

  nemesis(chance: number): Nemesis {
    return new Nemesis({
      store: { owners: async () => this.#owners() } as never,
      workload: {} as never,
      payers: [],
      serving: () => this.serving,
      nodes: 1,
      shards: 2,
      chance: () => chance,
      healMs: 10_000,
      freeze: () => {},
    });
  }

  close(): void {
    for (const child of [this.victim, this.starting]) child.kill('SIGKILL');
  }

  #owners(): Owners {
    const first = seen('n1', this.#ended ? 'first-2' : 'first-1', this.#ended ? process.pid : (this.victim.pid ?? 0));
    const second = seen('n2', 'second-1', this.starting.pid ?? 0);
    if (this.#ended && ++this.looks > LOOKS_BEFORE_SERVING) this.serving = [first.pid];
    const nodes = this.#ended ? [first] : [first, second];
    const shards = [0, 1].map((shard) => ({ shard, owner: first.incarnation, epoch: 1 }));
    return { nodes: new Map(nodes.map((node) => [node.incarnation, node])), shards } as Owners;
  }
}

function seen(name: string, incarnation: string, pid: number): NodeSeen {
  return { name, incarnation, pid, state: 'up' };
}

it('a cluster has recovered once the next life serves, and not as soon as it is a member with shards', async () => {
  const pair = new Pair();
  const strike = await pair.nemesis(0).killAny([]);
  pair.close();
  assert.is(strike.node, 'n1');
  assert.ok(strike.healedMs !== null);
  assert.ok(pair.looks > LOOKS_BEFORE_SERVING, `recovered after ${pair.looks} looks`);
});

it('a member that does not serve yet is not struck', async () => {
  const pair = new Pair();
  // The last one of those it may choose from.
  const strike = await pair.nemesis(0.999).killAny([]);
  assert.is(strike.node, 'n1');
  pair.close();
});

test.run();
