import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../actors/runtime/index.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { ClientConnection } from './connection.ts';
import type { HttpExchange, RefusalAnswer } from './exchange.ts';
import { type LingerLimits, linger } from './linger.ts';

interface ClientErrorOptions<Context extends HttpExchange<Context>> {
  /** Null for a socket that has closed. */
  readonly connection: ClientConnection<Context> | null;
  /** `context` is null where the head of the request was refused. */
  readonly refusal: (error: GatewayError, context: Context | null) => RefusalAnswer;
  readonly clock: Clock;
  readonly limits: LingerLimits;
}

/**
 * Answers requests that Node's HTTP parser refused, and closes the connection. A connection that is
 * closed, or whose answer has begun, is destroyed without an answer. (rule E21)
 */
export function answerClientError<Context extends HttpExchange<Context>>(
  error: Error & { readonly code?: string },
  socket: Socket,
  { connection, refusal, clock, limits }: ClientErrorOptions<Context>,
): void {
  const last = connection?.current ?? null;
  const current = last?.response.writableEnded === false ? last : null;
  if (current?.request.complete) {
    // The current request is complete; the bytes after it are malformed. Its answer is the last on this connection.
    current.response.shouldKeepAlive = false;
    current.response.once('close', () => socket.destroy());
    return;
  }
  if (connection === null || error.code === 'ECONNRESET' || !socket.writable || current?.response.headersSent) {
    socket.destroy(error);
    return;
  }
  connection.lingers = true;
  linger(socket, rawAnswer(refusal(errorOf(error.code), current)), clock, limits);
}

function errorOf(code: string | undefined): GatewayError {
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

/** The bytes of a refusal on a connection without an HTTP answer object: the last answer of that connection. */
export function rawAnswer({ status, headers, body }: RefusalAnswer): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}
