/** The bounds of the runtime that concern an engine; times in ms. The cluster's `runtime` limits satisfy it. */
export interface EngineLimits {
  /** Steps of one cascade, the first included. */
  readonly cascadeStepsMax: number;
  readonly laneStartMax: number;
  readonly laneFinishMax: number;
  readonly laneSystemMax: number;
  /** Entries of one batch; four times as many may wait before stepping pauses. */
  readonly commitEntriesMax: number;
  readonly commitBytesMax: number;
  /** Transitions remembered per actor. */
  readonly trailMax: number;
  readonly watchersMax: number;
  /** Actors in memory, those of resident kinds not counted; the least recently used leave first. */
  readonly residentsMax: number;
  /** How far ahead timers are loaded. */
  readonly timersAheadMs: number;
}
