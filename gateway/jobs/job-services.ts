import type { InferenceServices } from '../inference/services.ts';

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
  /** False while the node sheds load: jobs are shed first. (reliability X39) */
  readonly mayDispatch: () => boolean;
  readonly crashpoint: (name: JobCrashPoint) => void;
}
