/** One account whose requests arrive at all nodes, in virtual time: its owner serves those of every node alike. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../cluster.config.ts';
import { Overload } from '../../../gateway/overload/overload.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

const it = bounded(test, 60_000);

/** Milliseconds of a loop: the parts of one request at its node, and one ask at the owner of the account. */
const COST = { head: 0.1, before: 0.25, after: 0.5, send: 0.05, ask: 0.1, reply: 0.03 };
const COMMIT_MS = 3;
const PROVIDER_MS = 2;
const LINK_MS = 0.05;
const REFUSED_MS = 100;
/** More processes than processors: after so much work a process waits for its next turn. */
const TURN_MS = 3;
const AWAY_MS = 4;

/** A loop of a process that shares its processor. */
class SharedLoop extends LoopModel {
  #turnMs = 0;

  override spend(ms: number): void {
    super.spend(ms);
    this.#turnMs += ms;
    if (this.#turnMs < TURN_MS) return;
    this.#turnMs = 0;
    super.spend(AWAY_MS);
  }
}

class Node {
  readonly loop: SharedLoop;
  readonly overload: Overload;
  readonly #owner: Node;
  readonly answered: number[] = [];

  constructor(owner: Node | null) {
    this.loop = new SharedLoop(owner?.loop);
    this.overload = new Overload(this.loop, config.overload);
    this.#owner = owner ?? this;
  }

  /** A client that sends its next request once the last one is answered. */
  async client(since: number, until: number): Promise<void> {
    for (let at = 0; at < until; ) {
      at = this.loop.monotonic();
      if (!(await this.#serve())) await this.loop.wait(REFUSED_MS);
      else if (at >= since) this.answered.push(this.loop.monotonic() - at);
      await this.loop.wait(0);
    }
  }

  async #serve(): Promise<boolean> {
    const { loop, overload } = this;
    loop.spend(COST.head);
    const place = await overload.enter('live', 'greedy');
    if (place === null) return false;
    loop.spend(COST.before);
    await this.#ask();
    place.leave();
    await loop.wait(PROVIDER_MS);
    loop.spend(COST.after);
    await this.#ask();
    return true;
  }

  /** Steps and commits at the owner. */
  async #ask(): Promise<void> {
    const there = this.#owner.loop;
    if (there !== this.loop) {
      this.loop.spend(COST.send);
      await this.loop.send(there, LINK_MS);
    }
    there.spend(COST.ask);
    await there.wait(COMMIT_MS);
    if (there === this.loop) return;
    there.spend(COST.reply);
    await there.send(this.loop, LINK_MS);
    this.loop.spend(COST.send);
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

it('256 requests of one account on three nodes: the slowest are answered nearly as soon as the others', async () => {
  const owner = new Node(null);
  const nodes = [owner, new Node(owner), new Node(owner)];
  for (let nth = 0; nth < 256; nth++) void (nodes[nth % nodes.length] as Node).client(2_000, 6_000);
  await owner.loop.run(8_000);
  const times = nodes.flatMap(({ answered }) => answered);
  const ratio = percentile(times, 0.99) / percentile(times, 0.5);
  const rates = nodes.map(({ answered }) => answered.length);
  assert.ok(times.length > 2_000, `${times.length} answers`);
  assert.ok(ratio < 1.5, `p99 is ${ratio.toFixed(2)} times the median; answers by node: ${rates}`);
});

it('a node whose loop is late serves its clients also where their owner answers late', async () => {
  const { placesMin, placeMs } = config.overload;
  const loop = new LoopModel();
  const overload = new Overload(loop, config.overload);
  const until = 6_000;
  let served = 0;
  // Each timer of the loop is late: it waits for one of these at least.
  const stall = (): void => {
    loop.spend(8);
    if (loop.monotonic() < until) loop.after(0, stall);
  };
  const client = async (): Promise<void> => {
    while (loop.monotonic() < until) {
      const place = await overload.enter('live', 'greedy');
      if (place === null) return;
      await loop.wait(4 * placeMs);
      place.leave();
      served++;
    }
  };
  stall();
  loop.after(0, stall);
  for (let nth = 0; nth < 128; nth++) void client();
  await loop.run(until - 1);
  const perSecond = (served / until) * 1_000;
  assert.ok(perSecond > (placesMin / placeMs) * 1_000 * 0.8, `${perSecond.toFixed(0)} requests/s`);
  // No more than that: the loop is late.
  assert.ok(overload.gauges.placesMax <= 6 * placesMin, `${overload.gauges.placesMax} places`);
});

test.run();
