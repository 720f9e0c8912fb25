import { type ErrorEnvelope, standardEnvelope } from '../dialects/reply/error-envelope.ts';
import type { RefusalAnswer } from '../http/exchange.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { generationHeaders } from './generation-headers.ts';

/** The answer to a request that the listener refuses: no budget counts it, and no route is known. */
export function earlyRefusal(
  error: GatewayError,
  id: string,
  envelope: ErrorEnvelope = standardEnvelope,
): RefusalAnswer {
  const { type, body } = envelope(error, id);
  const headers = generationHeaders(id);
  headers.push('content-type', type);
  for (const name in error.headers) headers.push(name, error.headers[name] as string);
  return { status: error.status, headers, body };
}
