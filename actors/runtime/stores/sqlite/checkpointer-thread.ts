/**
 * The checkpointer of one node: a thread with its own connection that copies the log (WAL) into the database while the
 * writer goes on committing. It takes no write lock and writes no data of its own. SQLite syncs the database only if
 * the log did not grow during the copy; otherwise the process that copies the rest syncs it before the log restarts.
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
/**
 * Opened on demand: opening can fail while another process changes the journal mode, and the next request tries again.
 */
let connection: ReturnType<typeof connect> | null = null;

function checkpoint(): void {
  connection ??= connect(start.path, 'write');
  connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
}

/** A lock or a full disk only delays the checkpoint: everything in the log is durable. */
function attempt(): void {
  try {
    checkpoint();
    Atomics.store(state, 0, IDLE);
  } catch (error) {
    const failure = failureOf(error);
    Atomics.store(state, 0, failure.kind === 'fatal' ? FAILED : IDLE);
    if (failure.kind === 'fatal') port.postMessage({ failure } satisfies CheckpointerAnswer);
  }
}

port.on('message', (request: CheckpointerRequest) => {
  if ('run' in request) return attempt();
  connection?.close();
  port.close();
});
