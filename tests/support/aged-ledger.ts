/** An account whose ledger is months old, in a SQLite file, and nodes without a gateway over it. */
import * as assert from 'uvu/assert';
import { accountKind, createAccount, creditDeposit } from '../../actors/account/account.ts';
import { auditKind } from '../../actors/audit/audit.ts';
import { keyKind } from '../../actors/key/key.ts';
import type { Clock } from '../../actors/runtime/index.ts';
import type { ClusterNode } from '../../actors/runtime/node.ts';
import { openSqliteStore, type SqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import config from '../../cluster.config.ts';
import { ChainSweep } from '../../gateway/management/retention/chain-sweep.ts';
import { ExportFolder } from '../../gateway/management/retention/export-folder.ts';
import { startBareNode } from './cluster/bare-node.ts';
import { eventually } from './eventually.ts';
import { TESTER } from './tester.ts';

export const ACCOUNT = 'account:acct_aged';
const ASK_MS = 10_000;
/** Fewer than a mailbox takes. */
const AT_ONCE = 500;

/** The system clock, ahead by a time that may change. */
interface ShiftedClock extends Clock {
  shiftMs: number;
}

interface Aged {
  readonly cluster: ClusterNode;
  readonly clock: ShiftedClock;
  readonly store: SqliteStore;
  readonly close: () => Promise<void>;
}

export async function openAged(path: string, shiftMs: number): Promise<Aged> {
  const clock: ShiftedClock = { ...systemClock, shiftMs, now: () => systemClock.now() + clock.shiftMs };
  const { shards } = config.runtime;
  const store = await openSqliteStore({ path, shards, clock, random: systemRandom, busyBoundMs: 10_000 });
  const kinds = [accountKind(), keyKind, auditKind];
  const cluster = await startBareNode({ name: 'n1', kinds, store, clock, onDead: () => {} });
  await eventually(async () => assert.ok(cluster.ready));
  const close = async (): Promise<void> => {
    await cluster.leave();
    await store.close();
  };
  return { cluster, clock, store, close };
}

/** A sweep of months that have ended 90 days ago, exported into this folder. */
export function agedSweep(
  { cluster, clock }: Pick<Aged, 'cluster' | 'clock'>,
  folder: string,
  crashpoint: (name: string) => void = () => {},
): ChainSweep {
  return new ChainSweep({
    cluster,
    clock,
    retention: { ledger: 90, audit: 90 },
    folder: new ExportFolder(folder, 'n1', crashpoint),
    crashpoint,
    askMs: ASK_MS,
    log: { info: () => {}, warn: (record) => process.stderr.write(`${JSON.stringify(record)}\n`) },
  });
}

/** `counts` deposits at each of these times: how far the clock is ahead then, ms, ascending. */
export async function writeAged(path: string, counts: ReadonlyMap<number, number>): Promise<void> {
  const [first = 0] = counts.keys();
  const { cluster, clock, close } = await openAged(path, first);
  await createAccount(cluster, ACCOUNT, 'Aged', ASK_MS);
  for (const [shiftMs, count] of counts) {
    clock.shiftMs = shiftMs;
    // A node reads the time of the store with its next heartbeat.
    await eventually(async () => assert.ok(Math.abs(cluster.now() - clock.now()) < 60_000));
    for (let from = 0; from < count; from += AT_ONCE) {
      const ids = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => `dep-${shiftMs}-${from + n}`);
      await Promise.all(ids.map((id) => creditDeposit(cluster, ACCOUNT, { id, amount: '0.25', by: TESTER }, ASK_MS)));
    }
  }
  await close();
}
