import { type Assembly, assemble, type EngineOptions } from './assemble.ts';
import { deliver } from './deliver.ts';
import type { Engine, EngineGauges, Work } from './engine.ts';
import { LOST } from './failures.ts';
import { HeldShard } from './held-shard.ts';
import { inspect } from './inspection.ts';

/** The actor host of one node, without any shard yet. It starts no timer and touches no store before `adopt`. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, now } = options;
  const parts = assemble(options);
  const { floor, runner, timers, adoption, watchers, quarantine } = parts;
  return {
    adopt(shard, epoch) {
      const held = floor.shards.get(shard);
      if (held !== undefined && held.epoch === epoch && held.serving === 'live') return;
      if (held !== undefined) drop(parts, held);
      const home = new HeldShard(shard, epoch, clock.monotonic());
      floor.place(home);
      adoption.add(home);
    },
    async seal(shard) {
      const home = floor.shards.get(shard);
      if (home !== undefined) await seal(parts, home);
    },
    drop(shard) {
      const home = floor.shards.get(shard);
      if (home !== undefined) drop(parts, home);
    },
    epochOf: (shard) => floor.shards.get(shard)?.epoch ?? null,
    deliver: (delivery, answer) => deliver(parts, delivery, answer),
    buried(incarnation) {
      adoption.buried(incarnation);
      parts.outwards?.intents.examine();
    },
    inspect: (address) => inspect({ floor, runner, timers, outbox: floor.outbox, store, now }, address),
    quarantined: () => quarantine.list(),
    reload: (address) => quarantine.reload(address),
    watch: (matches, see) => watchers.add(matches, see),
    gauges: gaugesOf(parts),
    work: workOf(parts),
    async close() {
      await Promise.all([...floor.shards.values()].map((home) => seal(parts, home)));
      timers.close();
      parts.outwards?.intents.close();
    },
  };
}

function drop({ runner, judge, queue, eased }: Assembly, home: HeldShard): void {
  runner.after(() => judge.drop(home, queue.inFlightOf(home), LOST));
  eased();
}

async function seal({ timers, sealing, outwards }: Assembly, home: HeldShard): Promise<void> {
  timers.rest(home);
  outwards?.errands.rest(home);
  await sealing.start(home);
}

function gaugesOf({ floor, queue, runner, residents, quarantine, outwards }: Assembly): EngineGauges {
  return {
    get cells() {
      return floor.cells.size;
    },
    get evicted() {
      return residents.evicted;
    },
    get quarantined() {
      return quarantine.size;
    },
    get queued() {
      let queued = 0;
      for (const home of floor.shards.values()) queued += home.mails;
      return queued;
    },
    get commitsInFlight() {
      return queue.inFlight;
    },
    get steps() {
      return runner.steps;
    },
    get unhandled() {
      return runner.unhandled;
    },
    get deadLetters() {
      return runner.deadLetters + (outwards?.outbox.deadLetters ?? 0);
    },
    get commits() {
      return queue.commits;
    },
    get entries() {
      return queue.entries;
    },
  };
}

function workOf({ outwards }: Assembly): Work {
  const performing = outwards?.performing ?? null;
  return {
    get size() {
      return performing?.size ?? 0;
    },
    missing: (attempts) => attempts.filter((attempt) => !performing?.has(attempt)),
    abort: (attempts) => {
      for (const attempt of attempts) performing?.abort(attempt);
    },
    idle: async (withinMs) => performing?.idle(withinMs),
    abortAll: (why) => performing?.abortAll(why),
  };
}
