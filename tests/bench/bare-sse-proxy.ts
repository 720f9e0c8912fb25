import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createParser } from 'eventsource-parser';
import { Pool } from 'undici';

/**
 * The baseline of the streaming figures: a proxy that rewrites every frame, as a gateway must (its own id
 * in each chunk), and does nothing else. `bare-sse-proxy UPSTREAM_ORIGIN` prints `{"port":N}`; ends with its parent.
 */
const CONNECTIONS = 4_096;
const upstream = new Pool(process.argv[2] ?? '', { connections: CONNECTIONS, pipelining: 1, bodyTimeout: 0 });
const headers = { 'content-type': 'application/json' };
let served = 0;

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
  response.writeHead(200, ['content-type', 'text/event-stream', 'cache-control', 'no-cache']);
  const id = `gen-${++served}`;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return void response.write('data: [DONE]\n\n');
      const chunk = JSON.parse(data) as { id: string };
      chunk.id = id;
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of answer.body) parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
  response.end();
}

const server = createServer((request, response) => {
  forward(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', 4_096, () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
