import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * The baseline of the catalogue's figures and of downloads: a minimal static file server in Node. Each request is a `stat`
 * and a stream of the file `list.json` or `list.json.gz`. `bare-static FOLDER` prints `{"port":N}`; ends with its parent.
 */
const folder = process.argv[2] ?? '';

async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isZipped = request.headers['accept-encoding'] === 'gzip';
  const path = join(folder, isZipped ? 'list.json.gz' : 'list.json');
  const { size, mtimeMs } = await stat(path);
  const headers = ['content-type', 'application/json', 'content-length', String(size), 'etag', `"${size}-${mtimeMs}"`];
  response.writeHead(200, isZipped ? [...headers, 'content-encoding', 'gzip'] : headers);
  await pipeline(createReadStream(path), response);
}

const server = createServer((request, response) => {
  send(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
