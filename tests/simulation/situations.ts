import { FAULTS } from './plan.ts';
import type { Outcome } from './run.ts';

/** Situations that some seed of a run must cover: a run without one of them has not tested it. */
const SITUATIONS: readonly string[] = [
  ...FAULTS.filter((fault) => fault !== 'store unreachable for all' && fault !== 'long pause' && fault !== 'drain'),
  'pause longer than the stale bound',
  'drain under load',
  'minority voted out',
  'silent node voted out',
  'takeover with a hold open',
  'takeover after a settle',
  'zombie write refused',
  'stale version refused',
  'commit with one shard refused and one written',
  'acknowledgement of a commit lost',
  'acknowledgement of a new owner lost',
  'duplicate command dropped',
  'duplicate deposit dropped',
  'alarm cancelled',
  'overdue alarm fired',
  'step aborted by a refusal',
  'refusal delivered to a chart',
  'refused input dead-lettered',
  'unhandled input dead-lettered',
  'dead letter retried',
  'activity restarted',
  'work aborted',
  'activity under suspicion',
  'hold refused by a race',
  '402 by account balance',
  '402 by key limit',
  '429 by rate',
  '401 of a disabled key',
  'management key refused',
  'daily limit reset',
  'hold moved to a more expensive endpoint',
  'hold expired by time',
  'hold released by a node death',
  'settle < hold',
  'client disconnected mid-stream',
  'charged above its hold',
  'settled after its release',
  'line of a batch sent again',
  'batch cancelled',
  'batch expired',
  'results of a batch full',
  'render polled by a later attempt',
  'render begun again',
  'clip charged and not stored',
  'clip read after its delivery',
  'clip gone',
  'video cancelled',
  'video cancelled and charged',
  'video expired',
  'video ended by its deadline',
  'webhook delivered by a later attempt',
  'webhook attempt interrupted',
  'webhook posted again after an unrecorded 2xx',
  'webhook given up after eight',
  'upload refused for storage',
  'upload refused without keys or blobs',
  'file deleted',
  'expired file not found',
  'cluster down until every key was over',
  'settle of an old attempt refused',
  'later run admitted where a hold was running',
  'later run admitted where a hold was released',
  'later run admitted where a hold was orphaned',
  'gateway marked dead after its hold was taken over',
  'open of a charged or newer generation refused',
  'settle of an older run refused',
  'repeat of a running request refused',
  'repeat of a settled request refused',
  'repeat admitted after a release',
  'release of an older run refused',
];

/** Below this share of answered asks a run proves nothing. */
const ANSWERED_SHARE_MIN = 0.7;

/** Counts the situations over all seeds of a run. */
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

  /** Why the run proves nothing: situations that never occurred, or too few answered asks. */
  get problems(): readonly string[] {
    const poor = this.#ok < this.#all * ANSWERED_SHARE_MIN;
    return [
      ...this.missing.map((situation) => `never occurred: ${situation}`),
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
