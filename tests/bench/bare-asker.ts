import { connect } from 'node:net';
import { askLoop } from './ask-loop.ts';
import type { FromAskNode, ToAskNode } from './ask-node.ts';

/** Asks the baseline of the durable ask, from a process of its own, lines of one turn in one write. `bare-asker PORT`. */
const PURSES = 1_000;
const socket = connect({ port: Number(process.argv[2]), host: '127.0.0.1', noDelay: true });
const waiting = new Map<string, () => void>();
let unsent: string[] = [];
let rest = '';

socket.on('data', (bytes) => {
  const lines = (rest + bytes.toString('latin1')).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const turn = line.slice(0, line.indexOf(' '));
    const done = waiting.get(turn);
    waiting.delete(turn);
    done?.();
  }
});

function ask(turn: number): Promise<void> {
  return new Promise((resolve) => {
    const name = turn.toString();
    waiting.set(name, resolve);
    if (unsent.length === 0) setImmediate(flush);
    unsent.push(`${name} p${turn % PURSES}\n`);
  });
}

function flush(): void {
  socket.write(unsent.join(''));
  unsent = [];
}

process.on('message', (command: ToAskNode) => {
  if (command.type !== 'run') return;
  void askLoop(ask, command).then((result) => process.send?.({ type: 'ran', result } satisfies FromAskNode));
});
process.on('disconnect', () => process.exit(0));
socket.once('connect', () => process.send?.({ type: 'ready' } satisfies FromAskNode));
