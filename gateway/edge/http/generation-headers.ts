import type { ServerResponse } from 'node:http';

/** The generation id under the names that SDKs read, as names and values in turn. (conventions 0.2) */
export function generationHeaders(id: string): string[] {
  return ['x-generation-id', id, 'x-request-id', id, 'request-id', id];
}

/** Puts them on an answer whose head somebody else writes. */
export function nameAnswer(response: ServerResponse, id: string): void {
  response.setHeader('x-generation-id', id);
  response.setHeader('x-request-id', id);
  response.setHeader('request-id', id);
}
