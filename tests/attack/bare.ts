import cluster from 'node:cluster';
import { createServer } from 'node:http';

/**
 * What any HTTP server costs under the same load: as many processes as the cluster has nodes, which read a request, check
 * no key, keep no state, and answer: 503 to the generator, 200 to the tenant. Prints `{"port":N}` and ends with its
 * parent.
 */
const PROCESSES = 3;
const REFUSAL = JSON.stringify({ error: { message: 'The service is overloaded', type: 'server_error', code: 503 } });
const ANSWER = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(64) } }] });
/** The path of the tenant's requests. */
export const SERVED_PATH = '/served';

function serve(): void {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isServed = request.url === SERVED_PATH;
      const body = isServed ? ANSWER : REFUSAL;
      response
        .writeHead(isServed ? 200 : 503, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': body.length,
        })
        .end(body);
    });
  });
  server.listen(0, '127.0.0.1');
}

if (cluster.isWorker) serve();
else if (process.argv[2] === 'serve') {
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
