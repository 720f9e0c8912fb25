import { connect, createServer, type Socket } from 'node:net';

/**
 * The machine's own part of a delay: a request that wakes as many processes one after the other as a turn of another
 * tenant does, and no product. `chain back` sends every byte back. `chain front PORT` passes each request to and fro
 * and answers it. Both print `{"port":N}` and end with their parent.
 */

/** A turn: its node, owner, writer and provider, each asked and answered, for the hold and for the charge. */
const ROUNDS = 6;
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

function serve(client: Socket, backPort: number): void {
  const back = connect({ port: backPort, host: '127.0.0.1', noDelay: true });
  let left = 0;
  client.on('data', () => {
    left = ROUNDS;
    back.write('x');
  });
  back.on('data', () => {
    left--;
    if (left > 0) back.write('x');
    else client.write(ANSWER);
  });
  client.on('error', () => {}).on('close', () => back.destroy());
  back.on('error', () => {}).on('close', () => client.destroy());
}

const [role, port] = process.argv.slice(2);
const server = createServer({ noDelay: true }, (socket) => {
  if (role === 'front') serve(socket, Number(port));
  else socket.on('error', () => {}).on('data', (bytes) => socket.write(bytes));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
