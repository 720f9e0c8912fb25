import { createServer, type Socket } from 'node:net';
import Database from 'better-sqlite3';
import { type Actor, assign, createActor, setup } from 'xstate';

/**
 * The baseline of the durable ask: XState actors and SQLite behind a socket, nothing else. One line per debit, the
 * actor's own `send`, one transaction per turn of the event loop (group commit, `synchronous=FULL`), answers after it.
 * `bare-durable DATABASE` prints `{"port":N}`. No shards, no fence, no peers, no trail, no second process.
 */
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

const db = new Database(process.argv[2] ?? '');
db.pragma('journal_mode=WAL');
db.pragma('synchronous=FULL');
db.exec('CREATE TABLE purses (id TEXT PRIMARY KEY, snapshot TEXT NOT NULL) WITHOUT ROWID');
const write = db.prepare(
  'INSERT INTO purses VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot',
);

const actors = new Map<string, Actor<typeof machine>>();
let pending: { readonly socket: Socket; readonly turn: string; readonly id: string; readonly balance: number }[] = [];

const commit = db.transaction((ids: ReadonlySet<string>) => {
  for (const id of ids) write.run(id, JSON.stringify(actors.get(id)?.getPersistedSnapshot()));
});

function flush(): void {
  const batch = pending;
  pending = [];
  commit(new Set(batch.map((each) => each.id)));
  const answers = new Map<Socket, string[]>();
  for (const { socket, turn, balance } of batch) {
    const lines = answers.get(socket);
    if (lines) lines.push(`${turn} ${balance}\n`);
    else answers.set(socket, [`${turn} ${balance}\n`]);
  }
  for (const [socket, lines] of answers) socket.write(lines.join(''));
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
