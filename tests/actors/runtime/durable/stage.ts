/** Engines on one store with a recording host each, for the tests of the durable runtime. */
import { setTimeout as pause } from 'node:timers/promises';
import { shardOf } from '../../../../actors/runtime/actor/address.ts';
import { type Answer, AskError } from '../../../../actors/runtime/actor/answer.ts';
import { register } from '../../../../actors/runtime/actor/charts/register.ts';
import type { ActorEvent, Json } from '../../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import type { ActivityAttempt, ClusterPort } from '../../../../actors/runtime/durable/cluster-port.ts';
import { createEngine } from '../../../../actors/runtime/durable/engine/create-engine.ts';
import type { Engine, EngineHost, Publication } from '../../../../actors/runtime/durable/engine.ts';
import type { ActivityHandler } from '../../../../actors/runtime/ports/activity.ts';
import type { Clock, Random } from '../../../../actors/runtime/ports/clock.ts';
import type { EngineLimits } from '../../../../actors/runtime/ports/limits.ts';
import type { Store } from '../../../../actors/runtime/ports/store.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { counterKind } from '../../example-kinds/counter.ts';
import { orderKind } from '../../example-kinds/order.ts';
import { purseKind } from '../../example-kinds/purse.ts';
import { registerKind } from '../../example-kinds/register.ts';
import { senderKind } from '../../example-kinds/sender.ts';

const LIMITS: EngineLimits = {
  cascadeStepsMax: 16,
  laneStartMax: 1_024,
  laneFinishMax: 65_536,
  laneSystemMax: 4_096,
  commitEntriesMax: 1_024,
  commitBytesMax: 4 * 1024 * 1024,
  transitionsMax: 50,
  residentsMax: 10_000,
  timersAheadMs: 60_000,
};

export const SHARDS = 8;
export const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

interface StageOptions {
  readonly kinds?: readonly Kind[];
  /** Chart version at which a kind is written, by name, if it differs from the kind's own. */
  readonly levels?: Readonly<Record<string, number>>;
  readonly limits?: Partial<EngineLimits>;
  readonly store?: Store;
  readonly name?: string;
  readonly clock?: Clock;
  /** Whether to adopt every shard immediately; default true. */
  readonly adopt?: boolean;
  /** Default: activities start immediately. */
  readonly serve?: boolean;
  /** Replaces callbacks of the recording host. */
  readonly host?: Partial<EngineHost>;
  /** Default: no cluster port. */
  readonly clusterPort?: ClusterPort;
}

/** The recorded calls of the host. */
interface Recorded {
  readonly lost: { readonly shard: number; readonly reason: string }[];
  readonly published: Publication[];
  readonly logged: { readonly level: string; readonly message: string; readonly [key: string]: unknown }[];
  readonly gone: Set<string>;
}

export interface Stage {
  readonly engine: Engine;
  readonly store: Store;
  readonly recorded: Recorded;
  readonly incarnation: string;
  /** Resolves with the answer, including failures. */
  ask(to: string, event: ActorEvent, withinMs?: number): Promise<Answer>;
  /** Resolves with the body, or fails the test. */
  body(to: string, event: ActorEvent): Promise<Json>;
  tell(to: string, event: ActorEvent): void;
  /** Claims these shards in the store from any owner and adopts them. */
  take(shards: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

let stages = 0;

/** A registered node on a store (a fresh memory store by default) that owns all its shards. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const clock = options.clock ?? systemClock;
  const store = options.store ?? new MemoryStore({ clock, shards: SHARDS });
  const incarnation = `${options.name ?? 'n1'}-${++stages}`;
  const node = { name: options.name ?? 'n1', incarnation, address: '', operatorUrl: '', pid: 1, host: 'test' };
  await store.register(node);
  await store.heartbeat({ incarnation, reaches: [], state: 'up' });
  const recorded: Recorded = { lost: [], published: [], logged: [], gone: new Set() };
  const engine = createEngine({
    kinds: (options.kinds ?? [counterKind, registerKind, purseKind]).map((kind) => {
      const registered = register(kind);
      registered.level = options.levels?.[kind.name] ?? registered.level;
      return registered;
    }),
    store,
    clock,
    self: { incarnation, name: options.name ?? 'n1' },
    shards: SHARDS,
    now: () => clock.now(),
    limits: { ...LIMITS, ...options.limits },
    ...(options.clusterPort ? { clusterPort: options.clusterPort } : {}),
    host: {
      lost: (shard, reason) => recorded.lost.push({ shard, reason }),
      published: (value) => recorded.published.push(value),
      isGone: (gone) => recorded.gone.has(gone),
      log: (record) => recorded.logged.push(record),
      ...options.host,
    },
  });
  const stage: Stage = {
    engine,
    store,
    recorded,
    incarnation,
    ask: (to, event, withinMs = 60_000) =>
      new Promise((resolve) => engine.deliver({ to, event, deadline: clock.monotonic() + withinMs }, resolve)),
    async body(to, event) {
      const answer = await stage.ask(to, event);
      if (!answer.ok) throw new Error(`${to} ${event.type}: ${JSON.stringify(answer.failure)}`);
      return answer.body;
    },
    tell: (to, event) => engine.deliver({ to, event, deadline: clock.monotonic() + 60_000 }, null),
    async take(shards) {
      const rows = (await store.shards()).filter(({ shard }) => shards.includes(shard));
      const claimed = await store.claim(incarnation, rows);
      const held = rows.filter(({ shard }) => !claimed.some((row) => row.shard === shard));
      const given = await Promise.all(held.map((row) => store.give(row, incarnation)));
      for (const row of [...claimed, ...given]) if (row !== null) engine.adopt(row.shard, row.epoch);
    },
    close: () => engine.close(),
  };
  if (options.serve !== false) engine.activities.serve();
  if (options.adopt !== false) await stage.take(ALL);
  return stage;
}

/** An address of this kind in this shard. */
export function inShard(kind: string, shard: number, salt = ''): string {
  for (let i = 0; ; i++) {
    const address = `${kind}:${salt}${i}`;
    if (shardOf(address, SHARDS) === shard) return address;
  }
}

/** Waits until `holds` returns true, one turn of the loop at a time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(1);
}

/** Waits some turns of the loop, enough for pending work to finish. */
export async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

interface Carried {
  readonly to: string;
  readonly event: ActorEvent;
}

/** Several engines on one memory store, connected by a transport that a test can delay, repeat and cut. */
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
