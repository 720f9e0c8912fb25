import type { LaneName, Mail } from './mail.ts';

/** Bound of each lane of one actor, in messages. */
export interface LaneBounds {
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
  first(max: number): readonly { readonly lane: LaneName; readonly event: string }[] {
    const found: { lane: LaneName; event: string }[] = [];
    for (const lane of SERVED) {
      for (let mail = this[lane]?.head ?? null; mail !== null && found.length < max; mail = mail.next) {
        found.push({ lane, event: mail.event.type });
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
