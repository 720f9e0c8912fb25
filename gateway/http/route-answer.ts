/** A whole answer. */
export interface RouteAnswer {
  /** Absent: 200. */
  readonly status?: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Further headers as a flat list of names, in lower case, and values. */
  readonly headers?: readonly string[];
  /** Id that the answer names in place of that of the request. */
  readonly id?: string;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** An answer with the given JSON text. */
export function jsonAnswer(text: string | Uint8Array): RouteAnswer {
  return { type: JSON_TYPE, body: text };
}
