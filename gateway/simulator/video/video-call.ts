/** What a call concerning a video adds to its record. */
export interface VideoCall {
  readonly route: 'create' | 'poll' | 'content' | 'cancel';
  /** The provider's id of the job; null where none was made. */
  job: string | null;
  readonly idempotencyKey: string | null;
  /** This create returned the job of an earlier one. */
  repeated: boolean;
  /** Bytes of the clip that were sent. */
  bytes: number;
}
