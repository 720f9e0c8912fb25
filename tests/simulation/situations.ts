import { FAULTS } from './plan.ts';
import type { Outcome } from './run.ts';

/** What some seed of a run must have seen: a run without it has not tried what it claims to survive. */
export const SITUATIONS: readonly string[] = [
  ...FAULTS.filter((fault) => fault !== 'store out of reach for all' && fault !== 'long pause' && fault !== 'drain'),
  'pause longer than the stale bound',
  'drain under load',
  'minority voted out',
  'silent node voted out',
  'takeover with a hold open',
  'takeover after a settle',
  'zombie write refused',
  'stale version refused',
  'a shard refused beside one that was written',
  'acknowledgement of a commit lost',
  'acknowledgement of a new owner lost',
  'duplicate command dropped',
  'duplicate deposit dropped',
  'alarm cancelled',
  'alarm overdue and rung',
  'step undone by a refusal',
  'refusal told to a chart',
  'refused input set aside',
  'unhandled input set aside',
  'dead letter retried',
  'work begun again',
  'work aborted',
  'work under suspicion',
  'hold refused by a race',
  '402 by account balance',
  '402 by key limit',
  '429 by rate',
  '401 of a disabled key',
  'management key refused',
  'a new day for a key',
  'hold moved to a dearer endpoint',
  'hold expired by time',
  'hold released by a death',
  'settle < hold',
  'caller left mid-stream',
  'charged above its hold',
  'settled after its release',
  'settle of an old attempt refused',
  'later run admitted where a hold was running',
  'later run admitted where a hold was released',
  'later run admitted where a hold was orphaned',
  'gateway buried after its hold was taken over',
  'open of a charged or newer generation refused',
  'settle of an older run refused',
  'release of an older run refused',
];

/** Below this share of answered asks a run has mostly failed, and proves nothing. */
const ANSWERED_SHARE_MIN = 0.7;

/** Adds up what the seeds of a run have seen. */
export class Sightings {
  readonly #counts = new Map<string, number>();
  #ok = 0;
  #all = 0;

  add({ history, answered }: Pick<Outcome, 'history' | 'answered'>): void {
    for (const [situation, count] of history.situations) {
      this.#counts.set(situation, (this.#counts.get(situation) ?? 0) + count);
    }
    this.#ok += answered.ok;
    this.#all += answered.all;
  }

  /** Why the run proves nothing: a situation that never occurred, or asks that mostly failed. */
  get complaints(): readonly string[] {
    const poor = this.#ok < this.#all * ANSWERED_SHARE_MIN;
    return [
      ...this.missing.map((situation) => `never seen: ${situation}`),
      ...(poor ? [`only ${this.#ok} of ${this.#all} asks were answered`] : []),
    ];
  }

  /** Situations that never occurred. */
  private get missing(): readonly string[] {
    return SITUATIONS.filter((situation) => !this.#counts.has(situation));
  }

  lines(): readonly string[] {
    const counts = SITUATIONS.map((situation) => [this.#counts.get(situation) ?? 0, situation] as const);
    const answered = `of ${this.#all} asks answered`;
    return [...counts, [this.#ok, answered] as const].map(([count, what]) => `${String(count).padStart(8)}  ${what}`);
  }
}
