import type { TSchema } from 'typebox';

/** One route as the published document shows it. */
export interface Operation {
  readonly method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** What a caller needs to know beyond the summary; absent: the summary with the credential that the route needs. */
  readonly description?: string;
  /** False: the route needs no credential. */
  readonly key: boolean;
  readonly query?: readonly Parameter[];
  /** Request headers beside those of inference. */
  readonly headers?: readonly Parameter[];
  /** Names of component schemas. */
  readonly body?: string;
  /** As `body`, sent as `multipart/form-data`. */
  readonly form?: string;
  readonly reply?: string;
  /** Status of the reply; absent: 200. */
  readonly status?: 101 | 201 | 202 | 410;
  /** Answers bytes of any type. */
  readonly bytes?: boolean;
  /** Schema of one `data:` line of the `text/event-stream` that `stream: true` requests, or that is the answer. */
  readonly frame?: string;
  /** Schema of a failure in an envelope of the dialect's own, beside the common one. */
  readonly failure?: string;
  /** The answer names in `X-Unread-Members` what nothing reads. A generation's does as well. */
  readonly namesUnread?: boolean;
  /** Runs a generation: the route has the headers of inference. */
  readonly inference?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly schema: TSchema;
  readonly required?: boolean;
  readonly description?: string;
}
