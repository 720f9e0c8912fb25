import { hostname } from 'node:os';
import type { Answer } from '../../actors/runtime/actor/answer.ts';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import type { ActorEvent } from '../../actors/runtime/actor/event.ts';
import { createEngine } from '../../actors/runtime/durable/engine/create-engine.ts';
import type { Engine, EngineHost } from '../../actors/runtime/durable/engine.ts';
import { type Kind, type Store, systemClock } from '../../actors/runtime/index.ts';
import type { EngineLimits } from '../../actors/runtime/ports/limits.ts';
import config from '../../cluster.config.ts';

interface EngineChoice {
  readonly kinds: readonly Kind[];
  readonly limits?: Partial<EngineLimits>;
  readonly published?: EngineHost['published'];
}

/**
 * Claims every shard of a store for one node without peers; returns a factory of engines that serve them, one at a
 * time.
 */
export async function owningEngines(store: Store, incarnation: string): Promise<(choice: EngineChoice) => Engine> {
  const at = { address: '127.0.0.1:1', operatorUrl: '', pid: process.pid, host: hostname() };
  await store.register({ name: 'a', incarnation, ...at });
  await store.heartbeat({ incarnation, reaches: [], state: 'up' });
  const taken = await store.claim(incarnation, await store.shards());
  return ({ kinds, limits, published = () => {} }) => {
    const engine = createEngine({
      kinds: kinds.map(register),
      store,
      clock: systemClock,
      self: { incarnation, name: 'a' },
      shards: config.runtime.shards,
      now: () => Date.now(),
      limits: { ...config.runtime, ...limits },
      host: { lost: () => {}, published, isGone: () => false, log: () => {} },
    });
    for (const { shard, epoch } of taken) engine.adopt(shard, epoch);
    return engine;
  };
}

export function askOf(engine: Engine): (to: string, event: ActorEvent) => Promise<Answer> {
  return (to, event) =>
    new Promise((resolve) => engine.deliver({ to, event, deadline: Number.POSITIVE_INFINITY }, resolve));
}
