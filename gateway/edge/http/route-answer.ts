/** A whole answer with status 200. */
export interface RouteAnswer {
  readonly type: string;
  readonly body: string | Uint8Array;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** An answer with the given JSON text. */
export function jsonAnswer(text: string | Uint8Array): RouteAnswer {
  return { type: JSON_TYPE, body: text };
}
