import { type TSchema, Type } from 'typebox';
import { described, orNull } from '../../dialects/request/members.ts';

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

/** The members of a page of a list that is read on with `after`; `words` say what it lists, and in which order. */
export const pageMembers = <T extends TSchema>(words: string, entry: T, id: TSchema) => ({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: described(Type.Array(entry), words),
  first_id: orNull(id, 'Id of the first entry of this page; null on an empty page.'),
  last_id: orNull(id, 'Id of the last entry: pass it as `after` to read on; null on an empty page.'),
  has_more: Type.Boolean({ description: 'true: another page follows `last_id`.' }),
});
