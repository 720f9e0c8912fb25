import { type TSchema, Type } from 'typebox';
import { described, orNull } from '../../dialects/request/members.ts';

/** Schemas by name: of components under their names in the published document, of parameters under their own. */
export type Named = Readonly<Record<string, TSchema>>;

/** Operations by method and path below `/api/v1`, with parameters in braces: `GET /files/{id}`. */
export type Operations = Readonly<Record<string, Operation>>;

/** One route as the published document shows it. Every schema of a parameter has its description. */
export interface Operation {
  readonly summary: string;
  /** What a caller needs to know beyond the summary; the credential is added. */
  readonly description: string;
  /** What the answer of a success is. */
  readonly answers: string;
  /** The kind of key that the route needs; absent: none. */
  readonly key?: 'inference' | 'management' | 'provider';
  /** Words of the parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Named;
  /** Request headers beside those of inference. */
  readonly headers?: Named;
  /** Parameters of the query that must be sent. */
  readonly required?: readonly string[];
  /** The schemas below have one component each. */
  readonly body?: Named;
  /** As `body`, sent as `multipart/form-data`. */
  readonly form?: Named;
  readonly reply?: Named;
  /** Status of the reply; absent: 200. */
  readonly status?: 101 | 201 | 202 | 410;
  /** Answers bytes of any type. */
  readonly bytes?: boolean;
  /** Schema of one `data:` line of the `text/event-stream` that `stream: true` requests, or that is the answer. */
  readonly frame?: Named;
  /** Schema of a failure in an envelope of the dialect's own, beside the common one. */
  readonly failure?: Named;
  /** The answer names in `X-Unread-Members` what nothing reads. A generation's does as well. */
  readonly namesUnread?: boolean;
  /** Runs a generation: the route has the headers of inference. */
  readonly inference?: boolean;
}

export const limitTo = (most: number): TSchema =>
  Type.Integer({ minimum: 1, maximum: most, description: `Entries of a page, at most ${most}.` });
export const after = Type.String({ description: '`last_id` of the previous page.' });
export const offset = Type.Integer({ minimum: 0, description: 'Entries that are left out at the beginning.' });

/** Any JSON object. */
export const anyDocument: Named = { AnyDocument: Type.Object({}, { additionalProperties: true }) };

/** The headers that attribute a request to an application. */
export const ATTRIBUTION = {
  'X-Vendor-Title': Type.String({ description: 'Title of the application; goes before X-Title.' }),
  'X-Title': Type.String({ description: 'Name of the application, shown with its requests.' }),
  'HTTP-Referer': Type.String({ description: 'Address of the application; attributes the request to it.' }),
};

/** Headers of a submission that creates a job of its own. */
export const submissionHeaders = (what: string): Named => ({
  ...ATTRIBUTION,
  'X-Title': Type.String({ description: `Attributes every request of the ${what}, as HTTP-Referer does.` }),
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: 255,
    description: `A repeat within 24 hours answers the recorded ${what}, or 422 to another body.`,
  }),
});

/** The members of a page of a list that is read on with `after`; `words` say what it lists, and in which order. */
export const pageMembers = <T extends TSchema>(words: string, entry: T, id: TSchema) => ({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: described(Type.Array(entry), words),
  first_id: orNull(id, 'Id of the first entry of this page; null on an empty page.'),
  last_id: orNull(id, 'Id of the last entry: pass it as `after` to read on; null on an empty page.'),
  has_more: Type.Boolean({ description: 'true: another page follows `last_id`.' }),
});
