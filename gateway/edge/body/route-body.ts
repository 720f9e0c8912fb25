import { membersOf } from '../../dialects/request/read-members.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import type { KeptTexts } from '../../json/json-sinks.ts';
import type { WorkPlace } from '../../overload/overload.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import type { Authenticated } from '../auth/authentication.ts';

/**
 * What a route takes as its body: what it is, and within which bounds. It is read by `RequestBodies` and nowhere else,
 * before the route's handler runs.
 */
export type RouteBody = JsonBody | FormBody | UploadBody;

/** A request as far as its body is read. */
export interface BodyRequest extends Authenticated, Pick<HttpExchange<unknown>, 'request' | 'response' | 'invite'> {
  /** Held while the node works on the request; left early where it waits for a client or a provider. */
  place: WorkPlace | null;
  /** SHA-256 of the body as sent, hex; null until it is read, and for a request without an `Idempotency-Key`. */
  bodyDigest: string | null;
}

/** A JSON value, read whole: `takeBody`. */
export interface JsonBody {
  readonly type: 'json';
  /** The members that are read. The answer names any other in `X-Unread-Members`; absent: nothing is named here. */
  readonly members?: ReadonlySet<string>;
  /** Absent: the bounds of an inference request. */
  readonly bounds?: Partial<Pick<EdgeLimits, 'bodyBytesMax' | 'bodyDepthMax' | 'bodyTokensMax'>>;
  /** Objects that stay text; absent: the JSON schemas in a large body. */
  readonly texts?: KeptTexts;
  /** A large body is read in the background, in turn with the others of its account. */
  readonly isJob?: true;
  /** Rejects with the refusal of a request whose body is not worth reading. */
  readonly before?: (context: BodyRequest) => Promise<void>;
}

/** The form of a page, as a browser sends one: `formOf`. Of at most 64 KiB and 100 fields. */
interface FormBody {
  readonly type: 'form';
}

/** `multipart/form-data` with one file in the part `file`, which the handler reads as it arrives: `uploadOf`. */
export interface UploadBody {
  readonly type: 'upload';
  readonly fileBytesMax: number;
  readonly fieldsMax: number;
  /** Of one field. */
  readonly fieldBytesMax: number;
}

/** A JSON body that the route's dialect checks and names the unread members of. */
export const JSON_BODY: JsonBody = { type: 'json' };
export const FORM_BODY: FormBody = { type: 'form' };

/** A JSON body with the members of a schema, which the function that the body is for checks it by. */
export function jsonBody(schema: { readonly properties: object }): JsonBody {
  return { type: 'json', members: membersOf(schema) };
}
