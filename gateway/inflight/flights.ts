import type { Principal } from '../../actors/terms/principal.ts';
import { GatewayError } from '../terms/gateway-error.ts';

/** How far a piece of work is. `waiting`: its provider was called; `settling`: the charge is not durable yet. */
type FlightPhase = 'admitted' | 'waiting' | 'first_byte' | 'streaming' | 'settling';

/** What a piece of work is known by from its start. */
interface FlightStart {
  /** Id of its generation. */
  readonly id: string;
  readonly kind: 'request' | 'line' | 'render';
  /** Address of the account. */
  readonly account: string;
  /** Address of the key. */
  readonly key: string;
  /** The model that it is routed to first. */
  readonly model: string;
  /** Store time, ms. */
  readonly startedAt: number;
}

/** A piece of work as operators see it; every time is store time in ms. */
export interface FlightView extends FlightStart {
  readonly provider: string | null;
  /** Id of the endpoint that is called; null before the first call. */
  readonly endpoint: string | null;
  readonly phase: FlightPhase;
  readonly phaseSince: number;
  /** Tokens of the answer so far, by our own count; null where none are counted. */
  readonly tokens: number | null;
  /** USD that are held for it; null before its hold. */
  readonly held: string | null;
}

/** The endpoint that serves a piece of work. */
interface FlightTarget {
  readonly model: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly held: string;
}

/** Ends the work; resolves once that has begun, and rejects with a `GatewayError` where it cannot be ended. */
type StopWork = (by: Principal) => Promise<void> | void;

/** One request, line of a batch or render while it runs on this node. Its owner moves it; operators read and stop it. */
export class Flight {
  /** Why an operator stopped it; null: nobody did. */
  stopReason: string | null = null;
  /** Ends the work as far as it is. Replaced as the work goes on. */
  onStop: StopWork = () => {};
  /** Counts the tokens of the answer so far. */
  countTokens: (() => number) | null = null;
  readonly #start: FlightStart;
  readonly #now: () => number;
  #phase: FlightPhase = 'admitted';
  #phaseSince: number;
  #target: FlightTarget | null = null;
  /** Null: nobody stops it, or it could not be stopped. */
  #stopping: Promise<void> | null = null;

  constructor(start: FlightStart, now: () => number) {
    this.#start = start;
    this.#now = now;
    this.#phaseSince = start.startedAt;
  }

  enter(phase: FlightPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#phaseSince = this.#now();
  }

  /** Its provider is called. */
  aim(target: FlightTarget): void {
    this.#target = target;
    this.enter('waiting');
  }

  /** `by` an operator; a second stop has the outcome of the first. */
  stop(reason: string, by: Principal): Promise<void> {
    this.#stopping ??= this.#stop(reason, by);
    return this.#stopping;
  }

  async #stop(reason: string, by: Principal): Promise<void> {
    this.stopReason = reason;
    // Not in this turn of the event loop: `#stopping` is set before a failure clears it.
    await null;
    try {
      await this.onStop(by);
    } catch (error) {
      this.stopReason = null;
      this.#stopping = null;
      throw error;
    }
  }

  get view(): FlightView {
    const target = this.#target;
    return {
      ...this.#start,
      model: target?.model ?? this.#start.model,
      provider: target?.provider ?? null,
      endpoint: target?.endpoint ?? null,
      phase: this.#phase,
      phaseSince: this.#phaseSince,
      tokens: this.countTokens?.() ?? null,
      held: target?.held ?? null,
    };
  }
}

/** The error of a request that an operator stopped: what was delivered before is charged. (rule E52) */
export function stoppedByOperator(reason: string): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: `An operator of this service stopped the request: ${reason}`,
    headers: { 'x-should-retry': 'false' },
  });
}

/** What this node works on now. Admission bounds how much that is. */
export class Flights {
  readonly #open = new Map<string, Flight>();
  readonly #now: () => number;

  /** `now` is store time in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(start: Omit<FlightStart, 'startedAt'>): Flight {
    const flight = new Flight({ ...start, startedAt: this.#now() }, this.#now);
    this.#open.set(start.id, flight);
    return flight;
  }

  /** Forgets a piece of work that has ended, unless the same id has begun again. */
  end(id: string, flight: Flight): void {
    if (this.#open.get(id) === flight) this.#open.delete(id);
  }

  get size(): number {
    return this.#open.size;
  }

  of(id: string): Flight | undefined {
    return this.#open.get(id);
  }

  /** In the order of their beginnings. */
  *views(): Iterable<FlightView> {
    for (const flight of this.#open.values()) yield flight.view;
  }
}
