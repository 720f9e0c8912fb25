/**
 * Actors without a cluster: registered kinds stepped purely, cascades applied atomically, rows and timers in maps.
 * Contexts are frozen deeply, so a chart that mutates throws. A single-threaded stand-in for tests of charts.
 */
import * as assert from 'uvu/assert';
import type { RegisteredKind } from '../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../actors/runtime/actor/charts/register.ts';
import type { Snapshot } from '../../../actors/runtime/actor/charts/snapshot.ts';
import { type StepResult, step } from '../../../actors/runtime/actor/charts/step.ts';
import type { Effect } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Json, RowView } from '../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../actors/runtime/actor/kind.ts';
import { kindOf } from '../../../actors/runtime/index.ts';
import { xstateStep } from './xstate-step.ts';

interface Timer {
  readonly address: string;
  readonly name: string;
  readonly at: number;
  readonly event: ActorEvent;
}

/** An activity that a chart asked for and that has not ended. Tests end it by its event. */
type Performed = Extract<Effect, { readonly type: 'perform' }> & { readonly address: string };

export interface Outcome {
  readonly reply: Json | undefined;
  /** Number of steps of the cascade. */
  readonly steps: number;
  /** False if the cascade has only volatile steps without durable effects, and so no commit. */
  readonly durable: boolean;
  readonly published: readonly Extract<Effect, { readonly type: 'publish' }>[];
}

const CASCADE_STEPS_MAX = 16;

/** Members of events are not checked here: the charts take them by their own types. */
interface PureEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

export class PureActors {
  readonly kinds: ReadonlyMap<string, RegisteredKind>;
  snapshots = new Map<string, Snapshot>();
  rows = new Map<string, Json>();
  timers = new Map<string, Timer>();
  activities = new Map<string, Performed>();
  now: number;

  constructor(kinds: readonly Kind[], now: number) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, register(kind)]));
    this.now = now;
  }

  /** Runs one event and its cascade. Throws the error of a failing step, and then nothing is applied. */
  tell(to: string, event: PureEvent): Outcome {
    const before = [this.snapshots, this.rows, this.timers, this.activities] as const;
    this.snapshots = new Map(this.snapshots);
    this.rows = new Map(this.rows);
    this.timers = new Map(this.timers);
    this.activities = new Map(this.activities);
    this.endActivity(to, event as ActorEvent);
    try {
      return this.cascade(to, event as ActorEvent);
    } catch (error) {
      [this.snapshots, this.rows, this.timers, this.activities] = before;
      throw error;
    }
  }

  /** As `tell`, but returns only the reply. */
  ask<T>(to: string, event: PureEvent): T {
    return this.tell(to, event).reply as T;
  }

  context<T>(address: string): T {
    return this.snapshots.get(address)?.context as T;
  }

  state(address: string): string {
    return String(this.snapshots.get(address)?.value);
  }

  row<T>(address: string, collection: string, id: string): T | null {
    return (this.rows.get(`${address} ${collection} ${id}`) ?? null) as T | null;
  }

  /** The open activities of an actor, by id. */
  activitiesOf(address: string): readonly Performed[] {
    return [...this.activities.values()].filter((activity) => activity.address === address);
  }

  /** Bodies of a collection, by id. */
  list<T>(address: string, collection: string): T[] {
    const prefix = `${address} ${collection} `;
    return [...this.rows]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, body]) => body as T);
  }

  explain(address: string): readonly string[] {
    const kind = this.kindOf(address).kind;
    const context = this.context<Json>(address);
    return kind.explain({ address, state: this.state(address), context, openRows: {}, now: this.now });
  }

  /** Advances time and fires the timers that fall due. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (let fired = 0; fired < 1_000; fired++) {
      const due = [...this.timers.values()].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.now = Math.max(this.now, due.at);
      this.timers.delete(`${due.address} ${due.name}`);
      this.tell(due.address, due.event);
    }
    this.now = until;
  }

  private cascade(to: string, event: ActorEvent): Outcome {
    const queue: { to: string; event: ActorEvent }[] = [{ to, event }];
    const published: Extract<Effect, { readonly type: 'publish' }>[] = [];
    let reply: Json | undefined;
    let steps = 0;
    let durable = false;
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      if (++steps > CASCADE_STEPS_MAX) throw new Error('the cascade is too long');
      const kind = this.kindOf(message.to);
      const before = this.snapshots.get(message.to) ?? null;
      if (before === null && !kind.creates.has(message.event.type)) throw new Error(`${message.to} is absent`);
      const rows = this.rowsFor(kind, message.to, message.event);
      const stamped = { at: this.now, self: message.to, rows };
      const result = step(kind, before, message.event, stamped);
      if (before !== null) sameAsXstate(result, xstateStep(kind, before, message.event, stamped));
      const [first] = result.effects;
      if (!result.handled || first?.type === 'refuse') {
        if (steps > 1) throw new Error(`${message.to} does not take ${message.event.type}: ${JSON.stringify(first)}`);
        return { reply: first?.type === 'refuse' ? first.body : undefined, steps, durable: false, published };
      }
      this.snapshots.set(message.to, result.snapshot);
      freeze(result.snapshot.context);
      const lasting = result.effects.some((effect) => !['reply', 'send', 'publish'].includes(effect.type));
      if (lasting || (result.snapshot !== before && !kind.volatile.has(message.event.type))) durable = true;
      for (const effect of result.effects) {
        if (effect.type === 'send') queue.push({ to: effect.to, event: effect.event });
        else if (effect.type === 'publish') published.push(effect);
        else if (effect.type === 'reply') {
          if (reply !== undefined) throw new Error('a second reply');
          reply = freeze(effect.body);
        } else this.write(message.to, effect);
      }
    }
    return { reply, steps, durable, published };
  }

  /** An event that ends an activity, `<name>.done` or `<name>.failed`, removes it. */
  private endActivity(address: string, { type, id }: ActorEvent): void {
    const key = `${address} ${String(id)}`;
    const name = this.activities.get(key)?.name;
    if (type === `${name}.done` || type === `${name}.failed`) this.activities.delete(key);
  }

  private write(address: string, effect: Effect): void {
    if (effect.type === 'put') this.rows.set(`${address} ${effect.collection} ${effect.id}`, freeze(effect.body));
    if (effect.type === 'remove') this.rows.delete(`${address} ${effect.collection} ${effect.id}`);
    if (effect.type === 'schedule') {
      const { name, at, event } = effect;
      this.timers.set(`${address} ${name}`, { address, name, at, event });
    }
    if (effect.type === 'cancel' && 'name' in effect) this.timers.delete(`${address} ${effect.name}`);
    if (effect.type === 'cancel' && 'perform' in effect) this.activities.delete(`${address} ${effect.perform}`);
    if (effect.type === 'stop') {
      this.snapshots.delete(address);
      for (const [key, timer] of this.timers) if (timer.address === address) this.timers.delete(key);
    }
    if (effect.type === 'perform') {
      const key = `${address} ${effect.id}`;
      if (this.activities.has(key)) throw new Error(`an activity with the id ${effect.id} is already open`);
      this.activities.set(key, { ...effect, address });
    }
  }

  /** As in the runtime: a row that is not open is found only where the chart may load stored rows. */
  private rowsFor(kind: RegisteredKind, address: string, event: ActorEvent): Record<string, readonly RowView[]> {
    const views: Record<string, readonly RowView[]> = {};
    for (const ref of kind.kind.rows?.(event) ?? []) {
      const open = kind.collections.get(ref.collection)?.open ?? (() => false);
      if ('open' in ref || 'next' in ref) {
        const prefix = `${address} ${ref.collection} `;
        const sort = kind.collections.get(ref.collection)?.sort ?? (() => 0);
        views[ref.as] = [...this.rows]
          .filter(([key, body]) => key.startsWith(prefix) && open(body))
          .map(([key, body]) => ({ id: key.slice(prefix.length), body }))
          .sort((a, b) => sort(a.body) - sort(b.body) || (a.id < b.id ? -1 : 1))
          .slice(0, 'next' in ref ? ref.next : undefined);
        continue;
      }
      const body = this.rows.get(`${address} ${ref.collection} ${ref.id}`);
      views[ref.as] = body !== undefined && (open(body) || ref.mayBeStored) ? [{ id: ref.id, body }] : [];
    }
    return views;
  }

  private kindOf(address: string): RegisteredKind {
    const kind = this.kinds.get(kindOf(address));
    if (kind === undefined) throw new Error(`no kind for ${address}`);
    return kind;
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/** Asserts that the runtime's step equals the result of XState itself, on every path of the runtime. */
function sameAsXstate({ snapshot, effects, handled }: StepResult, whole: ReturnType<typeof xstateStep>): void {
  const { value, context, status } = snapshot;
  assert.equal({ value, context, status, effects, handled }, whole);
}
