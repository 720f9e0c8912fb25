import type { ServerResponse } from 'node:http';

/**
 * Sends a whole answer; a 304 has no body and announces none. `headers` is a flat list of names and values; no header may be set on the response before. Node
 * writes a flat list directly, while headers set one by one pass through a table, twice (measured: 2 us). Head and body
 * go out in one system call. `end` with a body would make them a gathering write with an empty second piece, for which
 * Node allocates three times the text.
 */
export function writeAnswer(
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | Uint8Array,
): void {
  if (status === 304) {
    response.writeHead(status, headers).end();
    return;
  }
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.cork();
  response.write(body);
  response.uncork();
  response.end();
}

/**
 * Makes text safe for a header: printable ASCII, bounded, without line ends. Applies to names from a models document
 * and titles from a client, in both directions. Text is never refused, only reduced. (rule E28)
 */
const LENGTH_MAX = 256;
const PLAIN = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}+/gu;
const OUTSIDE = /[^\x20-\x7e]/gu;

/** Letters lose their accents; every other character outside ASCII becomes `?`. Empty text stays empty. */
export function headerText(text: string): string {
  if (text.length <= LENGTH_MAX && PLAIN.test(text)) return text;
  return text.slice(0, LENGTH_MAX).normalize('NFKD').replace(MARKS, '').replace(OUTSIDE, '?').slice(0, LENGTH_MAX);
}

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
