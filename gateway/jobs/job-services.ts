import type { InferenceServices } from '../inference/services.ts';
import type { JobPace } from '../overload/job-pace.ts';

export type JobCrashPoint =
  | 'line.dispatched'
  | 'line.held'
  | 'line.sent'
  | 'line.firstbyte'
  | 'line.sealed'
  | 'results.written'
  | 'vjob.rendered'
  | 'vjob.stored';

/** What the jobs of a node need. */
export interface JobServices {
  readonly inference: InferenceServices;
  /** When a job may begin: jobs give way to live requests, and are shed first. (rule E48) */
  readonly pace: Pick<JobPace, 'enter'>;
  readonly crashpoint: (name: JobCrashPoint) => void;
}
