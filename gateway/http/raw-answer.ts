import { STATUS_CODES } from 'node:http';
import { type ErrorEnvelope, standardEnvelope } from '../dialects/reply/error-envelope.ts';
import { generationHeaders } from '../edge/generation-headers.ts';
import type { GatewayError } from '../terms/gateway-error.ts';

/** The bytes of a refusal on a connection without an HTTP answer object: the last answer of that connection. */
export function rawAnswer(error: GatewayError, generation: string, envelope: ErrorEnvelope = standardEnvelope): string {
  const { type, body } = envelope(error, generation);
  const headers = ['content-type', type, 'content-length', `${Buffer.byteLength(body)}`];
  headers.push(...Object.entries(error.headers).flat(), ...generationHeaders(generation), 'connection', 'close');
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
