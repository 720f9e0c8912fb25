/**
 * The mover of one node: a thread with a connection of its own that copies the log (WAL) into the database while the
 * writer goes on committing. It takes no write lock and writes nothing of its own. SQLite syncs the database only if the
 * log did not grow meanwhile; else whoever moves the rest does, before the log starts anew.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  type CheckpointerAnswer,
  type CheckpointerRequest,
  type CheckpointerStart,
  FAILED,
  IDLE,
} from './checkpointer-protocol.ts';
import { connect } from './connect.ts';
import { failureOf } from './failure.ts';

const start = workerData as CheckpointerStart;
const port = parentPort as MessagePort;
const state = new Int32Array(start.state);
/** The driver's error of a moment in which somebody else changes the file's mode; the next request tries again. */
let connection: ReturnType<typeof connect> | null = null;

function move(): void {
  connection ??= connect(start.path, 'write');
  connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
}

/** A lock or a lack of space only puts it off: what is in the log is durable where it is. */
function attempt(): void {
  try {
    move();
    Atomics.store(state, 0, IDLE);
  } catch (error) {
    const failure = failureOf(error);
    Atomics.store(state, 0, failure.kind === 'fatal' ? FAILED : IDLE);
    if (failure.kind === 'fatal') port.postMessage({ failure } satisfies CheckpointerAnswer);
  }
}

port.on('message', (request: CheckpointerRequest) => {
  if ('move' in request) return attempt();
  connection?.close();
  port.close();
});
