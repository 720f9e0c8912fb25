import { STATUS_CODES } from 'node:http';
import type { RefusalAnswer } from './exchange.ts';

/** The bytes of a refusal on a connection without an HTTP answer object: the last answer of that connection. */
export function rawAnswer({ status, headers, body }: RefusalAnswer): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}
