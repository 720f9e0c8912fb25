import { ownerOf } from '../../actor/address.ts';
import type { Json } from '../../actor/event.ts';
import { Counts } from '../../collections/counts.ts';
import { FairQueue } from '../../collections/fair-queue.ts';
import type { ActivityHandler } from '../../ports/activity.ts';

/** Attempts of one node that run at once, whatever their handlers allow. */
export const RUNNING_MAX = 1_024;

/** An attempt, as far as its turn depends on it. */
export interface Scheduled {
  /** Which activity. */
  readonly name: string;
  readonly group: string;
  readonly suspect: boolean;
}

interface Activity<T> {
  readonly bounds: Pick<ActivityHandler, 'runningMax' | 'runningPerGroupMax'>;
  readonly waiting: FairQueue<T>;
  readonly perGroup: Counts;
  running: number;
}

/** For an activity without a handler on this node: its attempts only fail. */
const NO_HANDLER = { runningMax: RUNNING_MAX, runningPerGroupMax: RUNNING_MAX };

/**
 * Decides which waiting attempt of a node begins next. It keeps the bounds of each activity and of each group, and serves
 * activities and groups in turn. Suspects have a lane of their own: one runs at a time, beside everything else, so that a
 * crash meets at most one running suspect.
 */
export class ActivityScheduler<T extends Scheduled> {
  private readonly handlers: Readonly<Record<string, ActivityHandler>>;
  private readonly activities = new Map<string, Activity<T>>();
  /** The same, next turn first. */
  private readonly turns: Activity<T>[] = [];
  private readonly suspects = new FairQueue<T>();
  private suspect: T | null = null;
  private running = 0;

  constructor(handlers: Readonly<Record<string, ActivityHandler>>) {
    this.handlers = handlers;
    for (const [name, handler] of Object.entries(handlers)) checkBounds(name, handler);
  }

  groupOf(name: string, address: string, input: Json): string {
    try {
      return this.handlerOf(name)?.groupOf?.(address, input) ?? ownerOf(address);
    } catch {
      // A handler that cannot read the input reports that when it is called.
      return ownerOf(address);
    }
  }

  add(attempt: T): void {
    if (attempt.suspect) this.suspects.add(attempt.group, attempt);
    else this.activityOf(attempt.name).waiting.add(attempt.group, attempt);
  }

  /** Removes an attempt that waits; does nothing if it does not. */
  remove(attempt: T): void {
    if (attempt.suspect) this.suspects.remove(attempt.group, attempt);
    else this.activityOf(attempt.name).waiting.remove(attempt.group, attempt);
  }

  /** Takes the attempt that begins now and counts it as running; null when none may begin. */
  next(): T | null {
    if (this.running >= RUNNING_MAX) return null;
    if (this.suspect === null) {
      this.suspect = this.suspects.take((attempt) => this.hasRoom(this.activityOf(attempt.name), attempt));
      if (this.suspect !== null) return this.occupy(this.suspect);
    }
    for (const [at, activity] of this.turns.entries()) {
      const found = activity.waiting.take((attempt) => this.hasRoom(activity, attempt));
      if (found === null) continue;
      this.turns.splice(at, 1);
      this.turns.push(activity);
      return this.occupy(found);
    }
    return null;
  }

  /** Frees the place of an attempt that `next` returned. */
  ended(attempt: T): void {
    const activity = this.activityOf(attempt.name);
    activity.running--;
    activity.perGroup.lower(attempt.group);
    this.running--;
    if (this.suspect === attempt) this.suspect = null;
  }

  private occupy(attempt: T): T {
    const activity = this.activityOf(attempt.name);
    activity.running++;
    activity.perGroup.raise(attempt.group);
    this.running++;
    return attempt;
  }

  private hasRoom({ bounds, running, perGroup }: Activity<T>, { group }: T): boolean {
    return running < bounds.runningMax && perGroup.of(group) < bounds.runningPerGroupMax;
  }

  private handlerOf(name: string): ActivityHandler | undefined {
    return Object.hasOwn(this.handlers, name) ? this.handlers[name] : undefined;
  }

  private activityOf(name: string): Activity<T> {
    let activity = this.activities.get(name);
    if (activity === undefined) {
      const bounds = this.handlerOf(name) ?? NO_HANDLER;
      activity = { bounds, waiting: new FairQueue(), perGroup: new Counts(), running: 0 };
      this.activities.set(name, activity);
      this.turns.push(activity);
    }
    return activity;
  }
}

function checkBounds(name: string, { runningMax, runningPerGroupMax }: ActivityHandler): void {
  const sound = Number.isInteger(runningMax) && Number.isInteger(runningPerGroupMax) && runningPerGroupMax >= 1;
  if (sound && runningPerGroupMax <= runningMax) return;
  throw new Error(`activity ${name}: runningMax ${runningMax}, runningPerGroupMax ${runningPerGroupMax}`);
}
