/** Several engines on one memory store, connected by a transport that a test can delay, repeat and cut. */
import { shardOf } from '../../../../actors/runtime/actor/address.ts';
import { type Answer, AskError } from '../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent, Json } from '../../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import type { ActivityAttempt, ClusterPort } from '../../../../actors/runtime/durable/outgoing/cluster-port.ts';
import type { ActivityHandler } from '../../../../actors/runtime/ports/activity.ts';
import type { Clock } from '../../../../actors/runtime/ports/clock.ts';
import type { Random } from '../../../../actors/runtime/ports/random.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import { systemRandom } from '../../../../actors/runtime/system/random.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { counterKind } from '../../example-kinds/counter.ts';
import { orderKind } from '../../example-kinds/order.ts';
import { postmanKind } from '../../example-kinds/postman.ts';
import { openStage, SHARDS, type Stage, type StageOptions } from './stage.ts';

export interface Carried {
  readonly to: string;
  readonly event: ActorEvent;
}

export interface House extends Stage {
  /** Claims these shards in the store from any owner and adopts them. */
  take(shards: readonly number[]): Promise<void>;
}

export class Town {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly houses: House[] = [];
  /** All messages sent, in order. */
  readonly carried: Carried[] = [];
  readonly aborted: (ActivityAttempt & { readonly at: string })[] = [];
  readonly causes = new Map<string, 'own-hand' | 'outside'>();
  /** Decides the fate of a message; by default it passes. */
  wire: (carried: Carried, pass: () => Promise<Json>) => Promise<Json> = (_, pass) => pass();

  private readonly random: Random;
  private readonly dead = new Set<string>();

  constructor(clock: Clock = systemClock, random: Random = systemRandom) {
    this.clock = clock;
    this.random = random;
    this.store = new MemoryStore({ clock, shards: SHARDS });
  }

  /** `kinds`: the kinds of this build. */
  async build(
    name: string,
    activities: Readonly<Record<string, ActivityHandler>> = {},
    kinds: readonly Kind[] = [orderKind, postmanKind, counterKind],
    options: Pick<StageOptions, 'serve'> = {},
  ): Promise<House> {
    const store = this.store.connect();
    const clusterPort: ClusterPort = {
      random: this.random,
      activities,
      send: (to, event) => {
        const carried = { to, event };
        this.carried.push(carried);
        return this.wire(carried, () => this.carry(carried));
      },
      missing: async (incarnation, attempts) => this.houseOf(incarnation).engine.activities.missing(attempts),
      abort: (incarnation, attempts) => {
        this.aborted.push(...attempts.map((attempt) => ({ ...attempt, at: incarnation })));
        this.houseOf(incarnation).engine.activities.abort(attempts);
      },
      causeOf: (incarnation) => this.causes.get(incarnation) ?? null,
    };
    const stage = await openStage({ kinds, store, name, clock: this.clock, adopt: false, clusterPort, ...options });
    const house: House = Object.assign(stage, {
      take: async (shards: readonly number[]) => {
        for (const row of await this.store.shards()) {
          if (!shards.includes(row.shard)) continue;
          const mine =
            row.owner === null || !this.houses.some(({ incarnation }) => incarnation === row.owner)
              ? (await store.claim(stage.incarnation, [row]))[0]
              : await store.give(row, stage.incarnation);
          if (mine) stage.engine.adopt(mine.shard, mine.epoch);
        }
      },
    });
    for (const dead of this.dead) house.recorded.gone.add(dead);
    this.houses.push(house);
    return house;
  }

  /** Kills the process: drops its memory, silences it, and marks it dead in the store. */
  async kill(house: House, cause: 'own-hand' | 'outside' | null = 'outside'): Promise<void> {
    this.houses.splice(this.houses.indexOf(house), 1);
    house.engine.activities.abortAll('killed by the test');
    for (let shard = 0; shard < SHARDS; shard++) house.engine.drop(shard);
    // No shard is left to release: this only ends its timers.
    await house.engine.close();
    const row = (await this.store.heartbeat({ incarnation: 'x', hears: [], state: 'up' })).nodes.find(
      ({ incarnation }) => incarnation === house.incarnation,
    );
    await this.store.markDead(house.incarnation, row?.beat ?? 0, 'the test');
    if (cause !== null) this.causes.set(house.incarnation, cause);
    this.dead.add(house.incarnation);
    for (const other of this.houses) {
      other.recorded.gone.add(house.incarnation);
      other.engine.nodeDead(house.incarnation);
    }
  }

  async close(): Promise<void> {
    for (const house of this.houses.splice(0)) {
      house.engine.activities.abortAll('the test is over');
      await house.engine.close();
    }
  }

  private carry({ to, event }: Carried): Promise<Json> {
    return new Promise((resolve, reject) => {
      const refuse = (failure: Parameters<typeof fail>[1]): void => reject(fail(to, failure));
      const house = this.houses.find(({ engine }) => engine.epochOf(shardOf(to, SHARDS)) !== null);
      if (house === undefined) return refuse({ code: 'moved', owner: null, epoch: 0 });
      const wire = JSON.parse(JSON.stringify(event)) as ActorEvent;
      house.engine.deliver({ to, event: wire, deadline: this.clock.monotonic() + 10_000 }, (answer: Answer) => {
        if (answer.ok) resolve(answer.body);
        else refuse(answer.failure);
      });
    });
  }

  private houseOf(incarnation: string): House {
    const house = this.houses.find((one) => one.incarnation === incarnation);
    if (house === undefined) throw new Error(`${incarnation} is not reached`);
    return house;
  }
}

function fail(to: string, failure: AskError['failure']): AskError {
  return new AskError(to, failure);
}

/** An address of this kind in this shard. */
export function inShard(kind: string, shard: number, salt = ''): string {
  for (let i = 0; ; i++) {
    const address = `${kind}:${salt}${i}`;
    if (shardOf(address, SHARDS) === shard) return address;
  }
}
