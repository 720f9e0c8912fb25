/**
 * The writer of one node: a thread with the only writing connection of its process. It executes one request at a time,
 * in whole transactions; membership overtakes waiting commits. After a disk error it writes nothing more.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../system/clock.ts';
import { commitApplier } from './apply-commit.ts';
import { checkpointAfterCommit } from './checkpoint-after-commit.ts';
import { Checkpointer } from './checkpointer.ts';
import type { SqliteConnection } from './connect.ts';
import { failureOf, type StoreFailure } from './failure.ts';
import type { LockWaitOptions } from './lock.ts';
import { pause, seededFraction, transactions } from './lock.ts';
import { nodes, ownership, settings } from './membership.ts';
import { openDatabase } from './open-database.ts';
import { unpackCommit } from './packed-commit.ts';
import { rowSql } from './statements.ts';
import type { WriterAnswer, WriterOperations, WriterRequest, WriterStart } from './writer-protocol.ts';

const start = workerData as WriterStart;
const port = parentPort as MessagePort;
const waited = new Int32Array(start.waited);
/** True when another process held the lock since the last commit. */
let contended = false;
const wait: LockWaitOptions = {
  clock: systemClock,
  random: { fraction: seededFraction(start.seed) },
  boundMs: start.busyBoundMs,
  waited: (ms) => {
    contended = true;
    Atomics.store(waited, 0, Math.ceil(ms));
  },
};

/** Set by the first disk error; every later request is refused. */
let broken: StoreFailure | null = null;

function answer(message: WriterAnswer): void {
  port.postMessage(message);
}

/** Runs a transaction and returns its outcome. The outcome is sent only after it is durable. */
function attempt(id: number, transaction: () => WriterAnswer): WriterAnswer {
  if (broken) return { id, failure: { kind: 'unreachable', message: `the writer stopped after: ${broken.message}` } };
  try {
    return transaction();
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === 'fatal') broken = failure;
    return { id, failure };
  }
}

/** A failed checkpoint does not change earlier answers; when the disk is full, the log only grows. */
function shrinkLog(checkpoint: (contended: boolean) => void): void {
  if (broken) return;
  try {
    checkpoint(contended);
    contended = false;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === 'fatal') breakDown(failure);
  }
}

/** The disk failed between two requests. */
function breakDown(failure: StoreFailure): void {
  if (broken) return;
  broken = failure;
  answer({ broken: failure });
}

function operationsOn(connection: SqliteConnection): WriterOperations {
  const sweep = connection.prepare(rowSql.sweep);
  const remove = connection.prepare(rowSql.removeUnchanged);
  return {
    ...nodes(connection),
    ...ownership(connection),
    ...settings(connection),
    sweepRows: (now, limit) => sweep.run(now, limit).changes,
    removeRows: (rows) =>
      rows.reduce(
        (sum, { collection, id, address, body }) => sum + remove.run(collection, id, address, body).changes,
        0,
      ),
  };
}

function serve(connection: SqliteConnection): void {
  const transact = transactions(connection, wait);
  const commit = commitApplier(connection, transact);
  const checkpointer = new Checkpointer(start.path, breakDown);
  const checkpoint = checkpointAfterCommit(connection, checkpointer);
  const operations = operationsOn(connection);
  let committedAt = Number.NEGATIVE_INFINITY;

  function run(request: WriterRequest): void {
    const { id } = request;
    if ('commit' in request) {
      const { writes, at } = unpackCommit(request.commit);
      runUrgent();
      const early = start.yieldMs - (systemClock.monotonic() - committedAt);
      if (early > 0) pause(early);
      answer(attempt(id, () => ({ id, verdicts: commit(writes, at) })));
      committedAt = systemClock.monotonic();
      shrinkLog(checkpoint);
    } else if ('call' in request) {
      const call = operations[request.call] as (...args: readonly unknown[]) => unknown;
      answer(attempt(id, () => ({ id, result: transact(() => call(...request.args)) })));
    } else {
      void close(id);
    }
  }

  function runUrgent(): void {
    for (let next = receiveMessageOnPort(start.urgent); next; next = receiveMessageOnPort(start.urgent)) {
      run(next.message as WriterRequest);
    }
  }

  async function close(id: number): Promise<void> {
    runUrgent();
    await checkpointer.close();
    runUrgent();
    connection.close();
    answer({ id, result: null });
    start.urgent.close();
    port.close();
  }

  port.on('message', run);
  start.urgent.on('message', run);
}

try {
  serve(openDatabase(start, wait));
  answer({ started: true });
} catch (error) {
  answer({ refused: error instanceof Error ? error.message : String(error) });
  start.urgent.close();
  port.close();
}
