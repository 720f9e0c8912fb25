import type { Answer } from '../answer.ts';
import type { ActorEvent } from '../event.ts';
import type { SystemMessage } from './system-message.ts';

/**
 * The lane in which a message waits. `deferred`: inputs deferred while the actor was quarantined, served before all
 * later ones.
 */
export type LaneName = 'deferred' | 'system' | 'finish' | 'start';

/** A due timer, or a deferred input, on its way to its actor. The entry of the step also removes its row. */
export interface Firing {
  readonly name: string;
  /** The last try: one more failure makes it a dead letter. */
  readonly last: boolean;
  /** The row id of a deferred input; its row is removed instead of a timer's. */
  readonly deferred?: string;
  /** False once the timer has been replaced or cancelled and must not fire. */
  current(): boolean;
  /** Called when the step threw; the timer's row is still there. */
  failed(detail: string): void;
  /** Called when the input could not be stepped for a reason outside it. */
  postponed(): void;
}

/** One message in an actor's mailbox. */
export interface Mail {
  readonly event: ActorEvent;
  /** Monotonic ms after which the message expires. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** Called exactly once; null for a tell. */
  readonly answer: ((answer: Answer) => void) | null;
  readonly firing: Firing | null;
  readonly systemMessage: SystemMessage | null;
  /** Monotonic ms of its arrival; only the dispatcher writes it. */
  since: number;
  /** Next in its lane; only the lane writes it. */
  next: Mail | null;
  /** The actors and rows loaded for it so far, kept so that the next try finds them; null before the first load. */
  fetched: Fetched | null;
}

/** Wraps an event of the runtime itself: it has no deadline and no trace. */
export function ownMail(event: ActorEvent, input: Pick<Mail, 'answer' | 'firing' | 'systemMessage'>): Mail {
  const { answer, firing, systemMessage } = input;
  const deadline = Number.POSITIVE_INFINITY;
  return { event, deadline, trace: undefined, answer, firing, systemMessage, since: 0, next: null, fetched: null };
}

/** What a message keeps in memory while it waits for its next try. */
export interface Fetched {
  /** Number of tries so far. */
  tries: number;
  /** Releases everything loaded. */
  readonly release: (() => void)[];
  /** The failure of a load, to be sent as the answer; null while there is none. */
  failure: Answer | null;
}

/** Bound of each lane of one actor, in messages. */
interface LaneBounds {
  readonly laneSystemMax: number;
  readonly laneFinishMax: number;
  readonly laneStartMax: number;
}

/** The lanes in the order of service. */
const SERVED: readonly LaneName[] = ['deferred', 'system', 'finish', 'start'];

/** A bounded queue, linked through the messages. */
class Lane {
  size = 0;
  private first: Mail | null = null;
  private last: Mail | null = null;

  push(mail: Mail): void {
    if (this.last === null) this.first = mail;
    else this.last.next = mail;
    this.last = mail;
    this.size++;
  }

  get head(): Mail | null {
    return this.first;
  }

  take(): Mail | null {
    const mail = this.first;
    if (mail === null) return null;
    this.first = mail.next;
    if (this.first === null) this.last = null;
    mail.next = null;
    this.size--;
    return mail;
  }
}

/**
 * The messages waiting for one actor: bounded lanes, served in the order deferred, system, finish, start; each lane is
 * first in, first out.
 */
export class Mailbox {
  /** Null for nearly every actor: created only after a quarantine. */
  private deferred: Lane | null = null;
  private readonly system = new Lane();
  private readonly finish = new Lane();
  private readonly start = new Lane();

  /** False when the lane is full and the message was not queued. */
  offer(lane: LaneName, mail: Mail, bounds: LaneBounds): boolean {
    if (lane === 'deferred') this.deferred ??= new Lane();
    const into = this[lane] as Lane;
    const max =
      lane === 'start' ? bounds.laneStartMax : lane === 'finish' ? bounds.laneFinishMax : bounds.laneSystemMax;
    if (into.size >= max) return false;
    into.push(mail);
    return true;
  }

  take(): Mail | null {
    return this.deferred?.take() ?? this.system.take() ?? this.finish.take() ?? this.start.take();
  }

  /** The messages that are served next, at most `max`, in this order. */
  first(max: number): readonly { readonly lane: LaneName; readonly mail: Mail }[] {
    const found: { lane: LaneName; mail: Mail }[] = [];
    for (const lane of SERVED) {
      for (let mail = this[lane]?.head ?? null; mail !== null && found.length < max; mail = mail.next) {
        found.push({ lane, mail });
      }
    }
    return found;
  }

  get size(): number {
    return (this.deferred?.size ?? 0) + this.system.size + this.finish.size + this.start.size;
  }

  /** Deferred inputs count as part of the system lane. */
  get sizes(): { readonly system: number; readonly finish: number; readonly start: number } {
    return { system: (this.deferred?.size ?? 0) + this.system.size, finish: this.finish.size, start: this.start.size };
  }
}
