import type { Json } from '../actor/event.ts';
import type { ClusterPort } from '../durable/cluster-port.ts';
import type { ActivityHandler } from '../ports/activity.ts';
import type { Clock, Random } from '../ports/clock.ts';
import { textOf } from '../ports/log.ts';
import type { Deaths } from './membership/deaths.ts';
import type { PeerOrigin } from './peers.ts';
import type { Router } from './router.ts';
import { type ControlCall, renderSignal, type Signal } from './signal.ts';

const CALLS_MAX = 256;
/** How long a call about activities may take. */
const ACTIVITIES_MS = 3_000;

interface Waiting {
  readonly incarnation: string;
  resolve(body: Json): void;
  reject(error: Error): void;
}

interface CallsParts {
  readonly clock: Clock;
  readonly send: (incarnation: string, signal: Signal) => boolean;
  /** Executes a peer's call. */
  readonly serve: (call: ControlCall) => Promise<Json>;
}

/** Calls between nodes over the control streams: few, bounded in time, never retried. */
export class Calls {
  readonly #parts: CallsParts;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Rejects if the peer has no link, refuses, disconnects, or does not answer in time. */
  call(incarnation: string, call: ControlCall, withinMs: number): Promise<Json> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= CALLS_MAX) return reject(new Error('too many operator calls at once'));
      this.#lastId += 1;
      const id = this.#lastId;
      const late = this.#parts.clock.after(withinMs, () =>
        settle(() => reject(new Error(`no answer to ${call.verb}`))),
      );
      const settle = (run: () => void): void => {
        late();
        this.#waiting.delete(id);
        run();
      };
      this.#waiting.set(id, {
        incarnation,
        resolve: (body) => settle(() => resolve(body)),
        reject: (error) => settle(() => reject(error)),
      });
      if (!this.#parts.send(incarnation, { type: 'call', id, call })) {
        this.#waiting.get(id)?.reject(new Error(`no link for ${call.verb}`));
      }
    });
  }

  /** Executes a peer's call and sends the answer back over that peer's link. */
  async serve(from: PeerOrigin, id: number, call: ControlCall): Promise<void> {
    let signal: Signal;
    try {
      signal = { type: 'answer', id, body: await this.#parts.serve(call), error: null };
    } catch (error) {
      signal = { type: 'answer', id, body: null, error: textOf(error) };
    }
    from.link.control(renderSignal(signal));
  }

  answered(incarnation: string, id: number, body: Json, error: string | null): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.incarnation !== incarnation) return;
    if (error === null) waiting.resolve(body);
    else waiting.reject(new Error(error));
  }

  /** The peer's link has ended: fails its open calls. */
  lost(incarnation: string): void {
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.incarnation === incarnation) waiting.reject(new Error('the node was lost'));
    }
  }
}

/** Parts of a cluster port. Router and calls are created after the engine, so they are passed as functions. */
interface ClusterPortParts {
  readonly random: Random;
  readonly activities: Readonly<Record<string, ActivityHandler>>;
  readonly router: () => Router;
  readonly calls: () => Calls;
  readonly deaths: Deaths;
}

/** The engine's port to the cluster that it is part of. */
export function openClusterPort({ random, activities, router, calls, deaths }: ClusterPortParts): ClusterPort {
  return {
    random,
    activities,
    // These messages carry a sequence or an attempt number: a receiver that gets one twice acts once.
    send: (to, event, withinMs) => router().ask(to, event, { withinMs, repeat: (same) => same }),
    missing: async (incarnation, attempts) => {
      const reply = await calls().call(incarnation, { verb: 'missing', attempts }, ACTIVITIES_MS);
      return reply as unknown as typeof attempts;
    },
    abort: (incarnation, attempts) => {
      // If the peer is unreachable, the attempt's result will be refused and its deadline ends it.
      calls()
        .call(incarnation, { verb: 'abort', attempts }, ACTIVITIES_MS)
        .catch(() => {});
    },
    causeOf: (incarnation) => deaths.causeOf(incarnation),
  };
}
