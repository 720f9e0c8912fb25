/** Several engines on one memory store, connected by a transport that a test can delay, repeat and cut. */
import { shardOf } from '../../../../actors/runtime/actor/address.ts';
import { type Answer, AskError } from '../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent, Json } from '../../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import type { ActivityAttempt, ClusterPort } from '../../../../actors/runtime/durable/cluster-port.ts';
import type { ActivityHandler } from '../../../../actors/runtime/ports/activity.ts';
import type { Clock, Random } from '../../../../actors/runtime/ports/clock.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { counterKind } from '../../example-kinds/counter.ts';
import { orderKind } from '../../example-kinds/order.ts';
import { senderKind } from '../../example-kinds/sender.ts';
import { openStage, SHARDS, type Stage, type StageOptions } from './stage.ts';

interface Carried {
  readonly to: string;
  readonly event: ActorEvent;
}

export class Stages {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly running: Stage[] = [];
  /** All messages sent, in order. */
  readonly carried: Carried[] = [];
  readonly aborted: (ActivityAttempt & { readonly at: string })[] = [];
  readonly causes = new Map<string, 'crashed' | 'killed'>();
  /** Decides the fate of a message; by default it passes. */
  wire: (carried: Carried, pass: () => Promise<Json>) => Promise<Json> = (_, pass) => pass();

  private readonly random: Random;
  private readonly dead = new Set<string>();

  constructor(clock: Clock = systemClock, random: Random = systemRandom) {
    this.clock = clock;
    this.random = random;
    this.store = new MemoryStore({ clock, shards: SHARDS });
  }

  /** Opens a stage that owns no shard yet. */
  async open(
    name: string,
    activities: Readonly<Record<string, ActivityHandler>> = {},
    kinds: readonly Kind[] = [orderKind, senderKind, counterKind],
    options: Pick<StageOptions, 'serve'> = {},
  ): Promise<Stage> {
    const store = this.store.connect();
    const clusterPort: ClusterPort = {
      random: this.random,
      activities,
      send: (to, event) => {
        const carried = { to, event };
        this.carried.push(carried);
        return this.wire(carried, () => this.carry(carried));
      },
      missing: async (incarnation, attempts) => this.stageOf(incarnation).engine.activities.missing(attempts),
      abort: (incarnation, attempts) => {
        this.aborted.push(...attempts.map((attempt) => ({ ...attempt, at: incarnation })));
        this.stageOf(incarnation).engine.activities.abort(attempts);
      },
      causeOf: (incarnation) => this.causes.get(incarnation) ?? null,
    };
    const stage = await openStage({ kinds, store, name, clock: this.clock, adopt: false, clusterPort, ...options });
    for (const dead of this.dead) stage.recorded.gone.add(dead);
    this.running.push(stage);
    return stage;
  }

  /** Kills the process: drops its memory, silences it, and marks it dead in the store. */
  async kill(stage: Stage, cause: 'crashed' | 'killed' | null = 'killed'): Promise<void> {
    this.running.splice(this.running.indexOf(stage), 1);
    stage.engine.activities.abortAll('killed by the test');
    for (let shard = 0; shard < SHARDS; shard++) stage.engine.drop(shard);
    // No shard is left to release: this only ends its timers.
    await stage.engine.close();
    const row = (await this.store.heartbeat({ incarnation: 'x', reaches: [], state: 'up' })).nodes.find(
      ({ incarnation }) => incarnation === stage.incarnation,
    );
    await this.store.markDead(stage.incarnation, row?.beat ?? 0, 'the test');
    if (cause !== null) this.causes.set(stage.incarnation, cause);
    this.dead.add(stage.incarnation);
    for (const other of this.running) {
      other.recorded.gone.add(stage.incarnation);
      other.engine.nodeDead(stage.incarnation);
    }
  }

  async close(): Promise<void> {
    for (const stage of this.running.splice(0)) {
      stage.engine.activities.abortAll('the test is over');
      await stage.engine.close();
    }
  }

  private carry({ to, event }: Carried): Promise<Json> {
    return new Promise((resolve, reject) => {
      const refuse = (failure: Parameters<typeof fail>[1]): void => reject(fail(to, failure));
      const stage = this.running.find(({ engine }) => engine.epochOf(shardOf(to, SHARDS)) !== null);
      if (stage === undefined) return refuse({ code: 'moved', owner: null, epoch: 0 });
      const wire = JSON.parse(JSON.stringify(event)) as ActorEvent;
      stage.engine.deliver({ to, event: wire, deadline: this.clock.monotonic() + 10_000 }, (answer: Answer) => {
        if (answer.ok) resolve(answer.body);
        else refuse(answer.failure);
      });
    });
  }

  private stageOf(incarnation: string): Stage {
    const stage = this.running.find((one) => one.incarnation === incarnation);
    if (stage === undefined) throw new Error(`${incarnation} is not reached`);
    return stage;
  }
}

function fail(to: string, failure: AskError['failure']): AskError {
  return new AskError(to, failure);
}
