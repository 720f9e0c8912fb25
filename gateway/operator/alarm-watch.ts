/**
 * Records alarms as they begin and end. The node that owns the cluster's log looks for all nodes, so that an alarm is
 * recorded once; another one goes on after its death.
 */

import type { FoundAlarm } from '../../actors/cluster-log/alarm.ts';
import { CLUSTER_LOG_ADDRESS, openAlarms, reportAlarms } from '../../actors/cluster-log/cluster-log.ts';
import type { Cancel, Clock, Cluster } from '../../actors/runtime/index.ts';
import { alarmsOf, lookAt } from './alarms.ts';

/** An alarm that is over sooner may not be recorded. */
const LOOK_EVERY_MS = 5_000;

interface AlarmWatchParts {
  readonly cluster: Pick<Cluster, 'operator' | 'board' | 'rows' | 'owns' | 'ask' | 'now'>;
  readonly clock: Clock;
  readonly lowDiskBytes: number;
  readonly askMs: number;
  readonly log: { warn(record: object, message: string): void };
}

export class AlarmWatch {
  readonly #parts: AlarmWatchParts;
  #timer: Cancel | null = null;
  #stopped = false;
  /** What the log has from this node, as text; null: unknown. */
  #told: string | null = null;
  /** Of the store, which cannot record it while it lasts. */
  #outage: FoundAlarm | null = null;

  constructor(parts: AlarmWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  async #run(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.#told = null;
      this.#parts.log.warn({ detail: String(error) }, 'alarms could not be recorded; trying again');
    }
    if (!this.#stopped) this.start();
  }

  /** Throws where the store or the log cannot be reached. */
  async round(): Promise<void> {
    const { cluster, lowDiskBytes, askMs } = this.#parts;
    if (!cluster.owns(CLUSTER_LOG_ADDRESS)) {
      this.#told = null;
      return;
    }
    const look = await lookAt(cluster);
    const alarms = alarmsOf(look, lowDiskBytes);
    if (look.view.outage !== null) {
      this.#outage = alarms[0] ?? null;
      return;
    }
    const text = JSON.stringify(alarms);
    const passed = this.#outage === null ? [] : [{ ...this.#outage, until: cluster.now() }];
    if (passed.length === 0 && (text === this.#told || (await this.#isQuiet(alarms)))) return;
    await reportAlarms(cluster, [...alarms, ...passed], askMs);
    this.#told = text;
    this.#outage = null;
  }

  /** Nothing is found and nothing is open: a cluster that never had an alarm has no log. */
  async #isQuiet(alarms: readonly FoundAlarm[]): Promise<boolean> {
    return alarms.length === 0 && (await openAlarms(this.#parts.cluster.rows, 1)).length === 0;
  }
}
