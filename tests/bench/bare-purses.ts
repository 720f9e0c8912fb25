import { createServer, type Socket } from 'node:net';
import { type Actor, assign, createActor, setup } from 'xstate';

/** Writes the latest snapshots of a batch as one commit; durable when it returns, or when its promise resolves. */
type WritePurses = (ids: readonly string[], snapshots: readonly string[]) => void | Promise<void>;

interface Debit {
  readonly socket: Socket;
  readonly turn: string;
  readonly id: string;
  readonly balance: number;
}

const machine = setup({
  types: {} as { context: { balance: number }; events: { type: 'debit'; amount: number } },
}).createMachine({
  context: { balance: 1_000_000_000 },
  initial: 'open',
  states: {
    open: {
      on: { debit: { actions: assign({ balance: ({ context, event }) => context.balance - event.amount }) } },
    },
  },
});

/**
 * The shared part of the durable ask baselines: XState actors behind a socket, one line per debit, the actor's own
 * `send`, one write for all queued debits (group commit), answers after it. Prints `{"port":N}`, ends with its
 * parent. No shards, no fence, no peers, no transition log, no second process.
 */
export function serveBarePurses(write: WritePurses): void {
  const actors = new Map<string, Actor<typeof machine>>();
  let pending: Debit[] = [];
  let writing = false;

  async function flush(): Promise<void> {
    if (writing || pending.length === 0) return;
    const batch = pending;
    pending = [];
    const ids = [...new Set(batch.map((each) => each.id))];
    const written = write(
      ids,
      ids.map((id) => JSON.stringify(actors.get(id)?.getPersistedSnapshot())),
    );
    if (written !== undefined) {
      writing = true;
      await written;
      writing = false;
      setImmediate(flush);
    }
    answer(batch);
  }

  function debit(socket: Socket, line: string): void {
    const [turn = '', id = ''] = line.split(' ');
    let actor = actors.get(id);
    if (actor === undefined) {
      actor = createActor(machine).start();
      actors.set(id, actor);
    }
    actor.send({ type: 'debit', amount: 1 });
    if (pending.length === 0) setImmediate(flush);
    pending.push({ socket, turn, id, balance: actor.getSnapshot().context.balance });
  }

  serve(debit);
}

function answer(batch: readonly Debit[]): void {
  const answers = new Map<Socket, string[]>();
  for (const { socket, turn, balance } of batch) {
    const lines = answers.get(socket);
    if (lines) lines.push(`${turn} ${balance}\n`);
    else answers.set(socket, [`${turn} ${balance}\n`]);
  }
  for (const [socket, lines] of answers) socket.write(lines.join(''));
}

function serve(debit: (socket: Socket, line: string) => void): void {
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = '';
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) debit(socket, line);
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ port: (server.address() as { port: number }).port })}\n`);
  });
  process.stdin.on('end', () => process.exit(0)).resume();
}
