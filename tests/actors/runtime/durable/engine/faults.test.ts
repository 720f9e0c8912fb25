/**
 * Random loads against a store that refuses, fails and loses acknowledgements, while shards are dropped, released and
 * adopted again. In every run an answered step is stored, a step that certainly did not happen is not stored, and the
 * sum of money is constant. A failure prints its seed.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS, type Stage, turns } from '../stage.ts';

const it = bounded(test);
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const OWNERS = 6;
const PURSES = 3;
const ASKS = 1_500;

type Chance = (below: number) => number;

function chanceOf(seed: number): Chance {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 1) % below;
  };
}

/** Bounds on the number of steps: how many certainly happened, and how many may have. */
interface Known {
  certain: number;
  possible: number;
}

function faultsOf(chance: Chance): MemoryStore['fault'] {
  return () => {
    const roll = chance(100);
    if (roll < 3) return { type: 'refuse', reason: 'full' };
    if (roll < 5) return { type: 'fail' };
    if (roll < 7) return { type: 'lose-acknowledgement' };
    return roll < 20 ? { type: 'delay', ms: 1 } : null;
  };
}

/** Adopts lost shards again, and sometimes drops, releases or moves a shard. */
async function disturb(stage: Stage, chance: Chance, seen: Set<string>): Promise<void> {
  const shard = chance(SHARDS);
  const roll = chance(6);
  if (roll === 0) stage.engine.drop(shard);
  if (roll === 1) await stage.engine.release(shard);
  if (roll === 2) await stage.store.claim(stage.incarnation, [...(await stage.store.shards())].slice(shard, shard + 1));
  for (const { reason } of stage.recorded.lost.splice(0)) seen.add(reason);
  const rows = await stage.store.shards();
  const lost = rows.filter((row) => stage.engine.epochOf(row.shard) === null);
  for (const row of await stage.store.claim(stage.incarnation, lost)) stage.engine.adopt(row.shard, row.epoch);
}

function note(known: Known, answer: Answer, seen: Set<string>): void {
  if (!answer.ok) seen.add(answer.failure.code);
  if (answer.ok) known.certain++;
  else if (answer.failure.code === 'lost') known.possible++;
}

const seen = new Set<string>();

for (const seed of SEEDS) {
  it(`keeps its guarantees under faults, seed ${seed}`, async () => {
    const chance = chanceOf(seed);
    const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
    const stage = await openStage({ store, limits: { commitEntriesMax: 16, laneStartMax: 32 } });
    for (let owner = 0; owner < OWNERS; owner++) {
      for (let i = 0; i < PURSES; i++) await stage.body(`purse:acct_${owner}/p${i}`, { type: 'fill', amount: 1_000 });
    }
    store.fault = faultsOf(chance);
    const counters = new Map<string, Known>();
    const asks: Promise<void>[] = [];
    let going = true;
    const disturbing = (async () => {
      while (going) {
        await turns(1 + chance(4));
        await disturb(stage, chance, seen);
      }
    })();
    for (let n = 0; n < ASKS; n++) {
      const owner = chance(OWNERS);
      const counter = `counter:acct_${owner}/c${chance(3)}`;
      const known = counters.get(counter) ?? { certain: 0, possible: 0 };
      counters.set(counter, known);
      asks.push(stage.ask(counter, { type: 'add', by: 1 }).then((answer) => note(known, answer, seen)));
      const [from, to] = [`purse:acct_${owner}/p${chance(PURSES)}`, `purse:acct_${owner}/p${chance(PURSES)}`];
      asks.push(stage.ask(from, { type: 'pay', to, amount: chance(400) }).then(() => undefined));
      if (n % 20 === 0) await turns(1);
    }
    await Promise.all(asks);
    going = false;
    await disturbing;
    store.fault = null;
    await disturb(stage, () => 5, seen);
    await stage.close();
    await check(store, counters, seed);
  });
}

it('injected every kind of fault', () => {
  for (const expected of ['moved', 'lost', 'refused', 'fence', 'unknown']) {
    assert.ok(seen.has(expected), `${expected} never happened: ${[...seen].join(' ')}`);
  }
});

async function check(store: MemoryStore, counters: ReadonlyMap<string, Known>, seed: number): Promise<void> {
  for (const [address, { certain, possible }] of counters) {
    const total = JSON.parse((await store.loadActor(address))?.actor.snapshot ?? '{"context":{"total":0}}').context
      .total;
    assert.ok(
      certain <= total && total <= certain + possible,
      `seed ${seed}: ${address} ${certain} ${total} ${possible}`,
    );
  }
  for (let owner = 0; owner < OWNERS; owner++) {
    let sum = 0;
    for (let i = 0; i < PURSES; i++) {
      sum += JSON.parse((await store.loadActor(`purse:acct_${owner}/p${i}`))?.actor.snapshot ?? '').context.amount;
    }
    assert.is(sum, PURSES * 1_000, `seed ${seed}: owner ${owner}`);
  }
}

test.run();
