import type { FileServices } from '../files/file-services.ts';
import type { Inference } from '../inference/inference.ts';
import type { Targets } from '../inference/provider-calls.ts';
import type { Outcomes } from '../inference/reports/outcomes.ts';
import type { Flights } from '../inflight/flights.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { JobPace } from '../overload/job-pace.ts';
import type { EdgeLimits, UpstreamLimits } from '../terms/config/config.ts';
import type { RenderLimits } from '../terms/config/render-limits.ts';
import type { LogRecord } from '../terms/log-record.ts';
import type { Measures } from '../terms/measures.ts';

type JobCrashPoint =
  | 'line.dispatched'
  | 'line.held'
  | 'line.sent'
  | 'line.firstbyte'
  | 'line.sealed'
  | 'results.written'
  | 'vjob.rendered'
  | 'vjob.stored';

/** What a job that is performed on a node gives way by. */
interface JobServices<Point extends JobCrashPoint> {
  /** Bytes, and the clock, cluster and chance of the node. */
  readonly files: FileServices;
  /** When a job may begin: jobs give way to live requests, and are shed first. (rule E48) */
  readonly pace: Pick<JobPace, 'enter'>;
  readonly log: (record: LogRecord) => void;
  readonly crashpoint: (name: Point) => void;
}

/** What the lines of batches need. */
export interface LineServices extends JobServices<Extract<JobCrashPoint, `line.${string}`>> {
  /** Runs the turn of a line. */
  readonly inference: Inference;
  readonly limits: EdgeLimits;
}

/** What writing the results of a batch needs. */
export interface ResultsServices {
  readonly files: FileServices;
  readonly crashpoint: (name: 'results.written') => void;
}

/** What the renders of video jobs need. */
export interface RenderServices extends JobServices<Extract<JobCrashPoint, `vjob.${string}`>> {
  readonly outbound: Outbound;
  readonly targets: Pick<Targets, 'video'>;
  readonly outcomes: Outcomes;
  readonly measures: Measures;
  readonly flights: Flights;
  readonly renders: RenderLimits;
  readonly upstream: UpstreamLimits;
}
