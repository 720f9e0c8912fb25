import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { type Actor, assign, createActor, setup } from 'xstate';

/**
 * The baseline of the durable ask on PostgreSQL: XState actors and one connection behind a socket, nothing else. One
 * line per debit, the actor's own `send`, one statement for what has gathered meanwhile (group commit), answers after
 * it. `bare-postgres URL` prints `{"port":N}`. No shards, no fence, no peers, no trail, no second process.
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

const db = new pg.Client({ connectionString: process.argv[2] ?? '' });
await db.connect();
await db.query('CREATE TABLE purses (id text COLLATE "C" PRIMARY KEY, snapshot text NOT NULL) WITH (fillfactor = 60)');
const WRITE = {
  name: 'write',
  text: `INSERT INTO purses SELECT * FROM unnest($1::text[], $2::text[])
    ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot`,
};

const actors = new Map<string, Actor<typeof machine>>();
let pending: { readonly socket: Socket; readonly turn: string; readonly id: string; readonly balance: number }[] = [];

let writing = false;

async function flush(): Promise<void> {
  if (writing || pending.length === 0) return;
  writing = true;
  const batch = pending;
  pending = [];
  const ids = [...new Set(batch.map((each) => each.id))];
  const snapshots = ids.map((id) => JSON.stringify(actors.get(id)?.getPersistedSnapshot()));
  await db.query({ ...WRITE, values: [ids, snapshots] });
  const answers = new Map<Socket, string[]>();
  for (const { socket, turn, balance } of batch) {
    const lines = answers.get(socket);
    if (lines) lines.push(`${turn} ${balance}\n`);
    else answers.set(socket, [`${turn} ${balance}\n`]);
  }
  for (const [socket, lines] of answers) socket.write(lines.join(''));
  writing = false;
  setImmediate(flush);
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
