import type { Socket } from 'node:net';
import { renderEnvelope } from '../../dialects/reply/error-envelope.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { RequestContext } from '../request-context.ts';

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/**
 * Answers requests that Node's HTTP parser refused, in our envelope, and closes the connection. A connection that is
 * closed, or whose answer has begun, is destroyed without an answer. (spec: reliability E10)
 */
export function answerClientError(
  error: Error & { readonly code?: string },
  socket: Socket,
  options: { readonly current: RequestContext | null; readonly generation: () => string },
): void {
  const current = options.current?.response.writableEnded === false ? options.current : null;
  if (current?.request.complete) {
    // The current request is complete; the bytes after it are malformed. Its answer is the last on this connection.
    current.response.shouldKeepAlive = false;
    current.response.once('close', () => socket.destroy());
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable || current?.response.headersSent) {
    socket.destroy(error);
    return;
  }
  const id = current?.id ?? options.generation();
  socket.end(rawAnswer(refusalOf(error.code), id));
}

function refusalOf(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse(431, 'invalid_request', 'The request headers are too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse(413, 'payload_too_large', 'The chunk extensions are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse(408, 'timeout', 'The request did not arrive in time');
    default:
      return refuse(400, 'invalid_request', 'The request is not well-formed HTTP');
  }
}

function refuse(status: number, type: GatewayError['type'], message: string): GatewayError {
  return new GatewayError({ status, type, message });
}

function rawAnswer(error: GatewayError, generation: string): string {
  const body = renderEnvelope(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_TEXT[error.status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-generation-id: ${generation}`,
    `x-request-id: ${generation}`,
    `request-id: ${generation}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
