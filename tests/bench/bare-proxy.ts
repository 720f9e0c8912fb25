import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

/**
 * The baseline of the non-streaming figures: a minimal proxy in Node that parses its traffic. Parses the
 * request, forwards it over kept-alive connections, parses the answer and writes it out. No key, no hold, no charge.
 * `bare-proxy UPSTREAM_ORIGIN` prints `{"port":N}`; ends with its parent.
 */
const CONNECTIONS = 1_024;
const upstream = new Pool(process.argv[2] ?? '', { connections: CONNECTIONS, pipelining: 1 });
const headers = { 'content-type': 'application/json' };

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const requested: unknown = JSON.parse(Buffer.concat(pieces).toString());
  const answer = await upstream.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers,
    body: JSON.stringify(requested),
  });
  const body = JSON.stringify(await answer.body.json());
  response.writeHead(answer.statusCode, [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(body)),
  ]);
  response.end(body);
}

const server = createServer((request, response) => {
  forward(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', 4_096, () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
