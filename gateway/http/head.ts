import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../terms/gateway-error.ts';

/** The headers that the edge reads, collected in one pass over the raw headers (Node merges repeated ones). */
export interface Head {
  /** Each `Authorization` and each `x-api-key` header, in order. */
  readonly authorizations: readonly string[];
  readonly apiKeys: readonly string[];
  readonly hosts: number;
  readonly count: number;
}

const NONE: readonly string[] = [];

export function readHead(request: IncomingMessage): Head {
  const raw = request.rawHeaders;
  let authorizations: string[] | null = null;
  let apiKeys: string[] | null = null;
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (name.length === 4) {
      if (name.toLowerCase() === 'host') hosts++;
    } else if (name.length === 9) {
      if (name.toLowerCase() === 'x-api-key') apiKeys = more(apiKeys, raw[i + 1] as string);
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      authorizations = more(authorizations, raw[i + 1] as string);
    }
  }
  return { authorizations: authorizations ?? NONE, apiKeys: apiKeys ?? NONE, hosts, count: raw.length / 2 };
}

function more(values: readonly string[] | null, value: string): string[] {
  return values === null ? [value] : [...values, value];
}

/**
 * The requests that Node's parser accepts and the API refuses: no Host or two, a target that is not a path, too many
 * headers. Null if the request is well-formed. (rule E21)
 */
export function malformed(request: IncomingMessage, head: Head, headersMax: number): GatewayError | null {
  if (head.count > headersMax) return refuse(431, `At most ${headersMax} headers are accepted`);
  if (!request.url?.startsWith('/')) return refuse(400, 'The request target must be a path');
  if (head.hosts > 1 || (head.hosts === 0 && request.httpVersionMinor > 0)) {
    return refuse(400, 'Exactly one Host header is required');
  }
  return null;
}

function refuse(status: number, message: string): GatewayError {
  return new GatewayError({ status, type: 'invalid_request', message });
}
