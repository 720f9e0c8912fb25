import { connect } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { askLoop } from './ask-loop.ts';
import type { FromAskNode, ToAskNode } from './ask-node.ts';
import { ECHO } from './echo-service.ts';

/**
 * The client of the ask baselines, in its own process; writes the lines of one turn at once: over a socket, or over a
 * gRPC stream. `bare-asker PORT [grpc]`.
 */
const PURSES = 1_000;
const [port = '', over = 'socket'] = process.argv.slice(2);
const waiting = new Map<string, () => void>();
let unsent: string[] = [];
let rest = '';
const write = over === 'grpc' ? overGrpc() : overSocket();

function overSocket(): (text: string) => void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  socket.on('data', hear);
  socket.once('connect', () => say({ type: 'ready' }));
  return (text) => socket.write(text);
}

function overGrpc(): (text: string) => void {
  const { path, requestSerialize, responseDeserialize } = ECHO.echo;
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  stream.on('data', hear);
  client.waitForReady(Date.now() + 5_000, (error) => {
    if (error) throw error;
    say({ type: 'ready' });
  });
  return (text) => stream.write(Buffer.from(text, 'latin1'));
}

function hear(bytes: Buffer): void {
  const lines = (rest + bytes.toString('latin1')).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const turn = line.slice(0, line.indexOf(' '));
    const done = waiting.get(turn);
    waiting.delete(turn);
    done?.();
  }
}

function ask(turn: number): Promise<void> {
  return new Promise((resolve) => {
    const name = turn.toString();
    waiting.set(name, resolve);
    if (unsent.length === 0) setImmediate(flush);
    unsent.push(`${name} p${turn % PURSES}\n`);
  });
}

function flush(): void {
  write(unsent.join(''));
  unsent = [];
}

function say(message: FromAskNode): void {
  process.send?.(message);
}

process.on('message', (command: ToAskNode) => {
  if (command.type !== 'run') return;
  void askLoop(ask, command).then((result) => say({ type: 'ran', result }));
});
process.on('disconnect', () => process.exit(0));
