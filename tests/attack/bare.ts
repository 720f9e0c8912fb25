import cluster from 'node:cluster';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/**
 * What any gateway in Node can do under the same load: as many processes as the cluster has nodes. Each forwards at most
 * `PLACES` requests at once to the provider and answers the others 503 at once; it checks no key, holds and charges
 * nothing, and knows no other node. `bare serve UPSTREAM_ORIGIN` prints `{"port":N}` and ends with its parent.
 */
const PROCESSES = 3;
const PLACES = 64;
const REFUSAL = JSON.stringify({ error: { message: 'The service is overloaded', type: 'server_error', code: 503 } });
/** The path of the tenant's requests, which are never refused. */
export const SERVED_PATH = '/served';

const HEADERS = { 'content-type': 'application/json' };

function serve(origin: string): void {
  const upstream = new Pool(origin, { connections: PLACES * 2, pipelining: 1 });
  let running = 0;

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (running >= PLACES && request.url !== SERVED_PATH) return write(response, 503, REFUSAL);
    running++;
    try {
      const body = JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()));
      const answer = await upstream.request({ method: 'POST', path: '/v1/chat/completions', headers: HEADERS, body });
      write(response, answer.statusCode, JSON.stringify(await answer.body.json()));
    } finally {
      running--;
    }
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
}

function write(response: ServerResponse, status: number, body: string): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length }).end(body);
}

const [, , mode, origin] = process.argv;
if (cluster.isWorker) serve(origin as string);
else if (mode === 'serve') {
  for (let nth = 0; nth < PROCESSES; nth++) cluster.fork();
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    if (++listening === PROCESSES) process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
  process.stdin
    .on('end', () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGKILL');
      process.exit(0);
    })
    .resume();
}
