import type { Answer } from '../../actor/answer.ts';
import type { Cell } from '../../actor/cell.ts';
import type { Json } from '../../actor/event.ts';
import { shownState, stateText } from '../../actor/state-text.ts';
import type { ActorCountRow } from '../../ports/store.ts';
import { type Assembly, assemble, type EngineOptions } from './assemble.ts';
import { deliver } from './deliver.ts';
import type { Delivery, Engine, EngineGauges, EngineHost, RunningActivities } from './engine.ts';
import { LOST } from './failures.ts';
import { inspect } from './inspection.ts';
import { Shard } from './shard.ts';

/** Creates the actor host of one node, without shards. It starts no timer and reads no store before `adopt`. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, now } = options;
  const { name: node } = options.self;
  const parts = assemble(options);
  const { registry, dispatcher, timers, adoption, watchers, quarantine } = parts;
  return {
    adopt(id, epoch) {
      const held = registry.shards.get(id);
      if (held !== undefined && held.epoch === epoch && held.serving === 'live') return;
      if (held !== undefined) drop(parts, held);
      const shard = new Shard(id, { epoch, node }, clock.monotonic());
      registry.place(shard);
      adoption.add(shard);
    },
    async release(id) {
      const shard = registry.shards.get(id);
      if (shard !== undefined) await release(parts, shard);
    },
    drop(id) {
      const shard = registry.shards.get(id);
      if (shard !== undefined) drop(parts, shard);
    },
    epochOf: (id) => registry.shards.get(id)?.epoch ?? null,
    deliver: (delivery, answer) => deliver(parts, delivery, tracedAnswer(options.host, delivery, answer)),
    nodeDead(incarnation) {
      adoption.nodeDead(incarnation);
      parts.outgoing?.activities.examine();
    },
    inspect: (address) => inspect({ registry, dispatcher, timers, outbox: registry.outbox, store, now }, address),
    quarantined: () => quarantine.list(),
    residentStates: () => residentStates(registry.cells.values()),
    reload: (address) => quarantine.reload(address),
    watch: (matches, see) => watchers.add(matches, see),
    gauges: gaugesOf(parts),
    activities: workOf(parts),
    async close() {
      await Promise.all([...registry.shards.values()].map((shard) => release(parts, shard)));
      timers.close();
      parts.outgoing?.activities.close();
    },
  };
}

/** The answer, told to the host first where the event has a trace id. */
function tracedAnswer(
  { traced }: EngineHost,
  { trace, event }: Delivery,
  answer: ((answer: Answer) => void) | null,
): typeof answer {
  if (trace === undefined || traced === undefined || answer === null) return answer;
  const ended = traced(trace, event.type);
  return (given) => {
    ended();
    answer(given);
  };
}

function residentStates(cells: Iterable<Cell>): readonly ActorCountRow[] {
  const counts = new Map<string, ActorCountRow>();
  for (const { kind, snapshot } of cells) {
    if (!kind.kind.resident || snapshot === null) continue;
    const { name, version: chart } = kind.kind;
    const state = shownState(kind.kind, stateText(snapshot.value), snapshot.context as Json);
    const count = (counts.get(`${name} ${state}`)?.count ?? 0) + 1;
    counts.set(`${name} ${state}`, { kind: name, state, chart, count });
  }
  return [...counts.values()];
}

function drop({ dispatcher, judge, queue, eased }: Assembly, shard: Shard): void {
  dispatcher.after(() => judge.drop(shard, queue.inFlightOf(shard), LOST));
  eased();
}

async function release({ timers, quiescence, outgoing: outwards }: Assembly, shard: Shard): Promise<void> {
  timers.pause(shard);
  outwards?.outgoing.pause(shard);
  await quiescence.start(shard);
}

function gaugesOf({ registry, queue, dispatcher, residents, quarantine, outgoing: outwards }: Assembly): EngineGauges {
  return {
    get cells() {
      return registry.cells.size;
    },
    get evicted() {
      return residents.evicted;
    },
    get quarantined() {
      return quarantine.size;
    },
    get queued() {
      let queued = 0;
      for (const shard of registry.shards.values()) queued += shard.mails;
      return queued;
    },
    get commitsInFlight() {
      return queue.inFlight;
    },
    get steps() {
      return dispatcher.steps;
    },
    get unhandled() {
      return dispatcher.unhandled;
    },
    get deadLetters() {
      return dispatcher.deadLetters + (outwards?.outbox.deadLetters ?? 0);
    },
    get commits() {
      return queue.commits;
    },
    get entries() {
      return queue.entries;
    },
    get activities() {
      return outwards?.activityRunner.size ?? 0;
    },
  };
}

function workOf({ outgoing: outwards }: Assembly): RunningActivities {
  const activityRunner = outwards?.activityRunner ?? null;
  return {
    get size() {
      return activityRunner?.size ?? 0;
    },
    serve: () => activityRunner?.serve(),
    pause: () => activityRunner?.pause(),
    missing: (attempts) => attempts.filter((attempt) => !activityRunner?.has(attempt)),
    abort: (attempts) => {
      for (const attempt of attempts) activityRunner?.abort(attempt);
    },
    finish: async (finishing) => activityRunner?.finish(finishing),
    abortAll: (why) => activityRunner?.abortAll(why),
  };
}
