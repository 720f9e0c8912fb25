import { ownerOf } from '../../actor/address.ts';
import type { Json } from '../../actor/event.ts';
import { Counts } from '../../collections/counts.ts';
import { FairQueue } from '../../collections/fair-queue.ts';
import type { ActivityHandler } from '../../ports/activity.ts';

/** Attempts that run at once on one node, over all activities. */
export const RUNNING_MAX = 1_024;

/** The properties of an attempt that the scheduler uses. */
export interface Scheduled {
  /** The name of the activity. */
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

/** Bounds for an activity without a handler on this node, whose attempts fail at once. */
const NO_HANDLER = { runningMax: RUNNING_MAX, runningPerGroupMax: RUNNING_MAX };

/**
 * Chooses the waiting attempt of a node that begins next. Enforces the bounds of each activity and of each group, and
 * serves activities and groups round-robin. Suspects have a separate lane in which one runs at a time, in addition to all
 * other attempts, so that a crash hits at most one running suspect.
 */
export class ActivityScheduler<T extends Scheduled> {
  private readonly handlers: Readonly<Record<string, ActivityHandler>>;
  private readonly activities = new Map<string, Activity<T>>();
  /** The same activities in round-robin order, the next one first. */
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
      // A handler that cannot read the input fails when it is called.
      return ownerOf(address);
    }
  }

  add(attempt: T): void {
    if (attempt.suspect) this.suspects.add(attempt.group, attempt);
    else this.activityOf(attempt.name).waiting.add(attempt.group, attempt);
  }

  /** Removes a waiting attempt; does nothing for any other. */
  remove(attempt: T): void {
    if (attempt.suspect) this.suspects.remove(attempt.group, attempt);
    else this.activityOf(attempt.name).waiting.remove(attempt.group, attempt);
  }

  /** Removes the attempt that may begin now from its queue and counts it as running; null if none may begin. */
  next(): T | null {
    if (this.running >= RUNNING_MAX) return null;
    if (this.suspect === null) {
      this.suspect = this.suspects.take((attempt) => this.hasRoom(this.activityOf(attempt.name), attempt));
      if (this.suspect !== null) return this.occupy(this.suspect);
    }
    for (const [at, activity] of this.turns.entries()) {
      // Of a full activity no group is looked at: there may be thousands.
      if (activity.running >= activity.bounds.runningMax) continue;
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
