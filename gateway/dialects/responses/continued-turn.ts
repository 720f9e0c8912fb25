import { invalid } from '../../terms/gateway-error.ts';

/** Characters of an id that are shown to the client. */
const ID_CHARACTERS_MAX = 64;

/** A turn that ended, as the next turn of the same connection continues it. */
export interface PastTurn {
  /** The id of its response. */
  readonly id: string;
  /** The conversation with its answer, as items of `input`. */
  readonly items: readonly unknown[];
}

type Body = Readonly<Record<string, unknown>>;

/**
 * The body of a turn that may continue `past`, as the same request without a past. Throws a 400 for the response of any
 * other turn, with the code at which clients repeat the request with the whole conversation. Nothing is checked but
 * `previous_response_id`.
 */
export function continued(body: Body, past: PastTurn | null): Body {
  const { previous_response_id: id, input } = body;
  if (id == null) return body;
  if (past === null || id !== past.id) throw unknownResponse(id);
  const items = itemsOf(input);
  return { ...body, previous_response_id: null, input: items === null ? input : past.items.concat(items) };
}

/** Input as items; null for what is no input. */
export function itemsOf(input: unknown): readonly unknown[] | null {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? input : null;
}

/** A turn that was answered, by its input and the last event of its stream. */
export function pastTurn(input: readonly unknown[], lastEvent: string): PastTurn {
  const { response } = JSON.parse(lastEvent) as {
    readonly response: { readonly id: string; readonly output: readonly unknown[] };
  };
  return { id: response.id, items: input.concat(response.output) };
}

function unknownResponse(id: unknown): Error {
  const named = typeof id === 'string' ? ` ${id.slice(0, ID_CHARACTERS_MAX)}` : '';
  return invalid(
    `previous_response_id: response${named} not found; only the last response of this socket can be continued. ` +
      'Send the whole conversation as input',
    'previous_response_not_found',
  );
}
