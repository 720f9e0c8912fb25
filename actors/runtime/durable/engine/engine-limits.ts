/** The runtime limits that an engine uses; times in ms. The cluster's `runtime` limits include them. */
export interface EngineLimits {
  /** Steps of one cascade, including the first. */
  readonly cascadeStepsMax: number;
  readonly laneStartMax: number;
  readonly laneFinishMax: number;
  readonly laneSystemMax: number;
  /** Entries of one batch; stepping pauses when four times as many wait. */
  readonly commitEntriesMax: number;
  readonly commitBytesMax: number;
  /** Transitions in an actor's transition log. The config member keeps its older name. */
  readonly trailMax: number;
  readonly watchersMax: number;
  /** Actors in memory, not counting resident kinds; the least recently used are evicted first. */
  readonly residentsMax: number;
  /** Timers due within this time are loaded. */
  readonly timersAheadMs: number;
}
