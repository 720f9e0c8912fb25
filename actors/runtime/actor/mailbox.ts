import type { LaneName, Mail } from './mail.ts';

/** How many messages each lane of one actor may hold. */
export interface LaneBounds {
  readonly laneSystemMax: number;
  readonly laneFinishMax: number;
  readonly laneStartMax: number;
}

/** A bounded queue, linked through the messages themselves. */
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

/** What waits for one actor: bounded lanes, served kept first, then system, then finish, then start; each in order. */
export class Mailbox {
  /** Null for nearly every actor, and for good. */
  private kept: Lane | null = null;
  private readonly system = new Lane();
  private readonly finish = new Lane();
  private readonly start = new Lane();

  /** False when the lane is full: the message was not taken. */
  offer(lane: LaneName, mail: Mail, bounds: LaneBounds): boolean {
    if (lane === 'kept') this.kept ??= new Lane();
    const into = this[lane] as Lane;
    const max =
      lane === 'start' ? bounds.laneStartMax : lane === 'finish' ? bounds.laneFinishMax : bounds.laneSystemMax;
    if (into.size >= max) return false;
    into.push(mail);
    return true;
  }

  take(): Mail | null {
    return this.kept?.take() ?? this.system.take() ?? this.finish.take() ?? this.start.take();
  }

  get size(): number {
    return (this.kept?.size ?? 0) + this.system.size + this.finish.size + this.start.size;
  }

  /** What was kept is the runtime's own business, as the system lane is. */
  get sizes(): { readonly system: number; readonly finish: number; readonly start: number } {
    return { system: (this.kept?.size ?? 0) + this.system.size, finish: this.finish.size, start: this.start.size };
  }
}
