/**
 * A process that commits to a SQLite store while its disk fails (see fixtures/disk-fault.c) and prints the outcome of
 * each commit as one line of JSON: `store-on-a-failing-disk.ts PATH BALLAST_BYTES`. For store tests.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { StoreOutcomeUnknown, StoreRefused } from '../../actors/runtime/ports/store.ts';
import { StoreFatal } from '../../actors/runtime/stores/sqlite/failure.ts';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import { actor, own, SHARDS, write } from '../contracts/store/records.ts';

export interface DiskReport {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly ballast: { readonly before: boolean; readonly after: boolean };
  readonly fatalCalls: number;
  readonly versions: { readonly afterFull: number; readonly atTheEnd: number };
}

const [path = '', ballastBytes = '0'] = process.argv.slice(2);
const faultFile = process.env.DISK_FAULT_FILE ?? '';
const ballast = () => existsSync(`${path}.ballast`);
let fatalCalls = 0;
const store = await openSqliteStore({
  ...{ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 1_000 },
  ballastBytes: Number(ballastBytes),
  onFatal: () => {
    fatalCalls += 1;
  },
});
const fence = await own(store, 'i1');
const outcomes: Record<string, string> = {};
let version = 0;

async function commit(name: string): Promise<void> {
  const record = actor('account:a', version + 1);
  try {
    await store.commit([write(fence, { actors: [{ record, expected: version }] })]);
    version += 1;
    outcomes[name] = 'committed';
  } catch (error) {
    if (error instanceof StoreRefused) outcomes[name] = `refused ${error.reason}`;
    else if (error instanceof StoreFatal) outcomes[name] = 'unknown, fatal';
    else if (error instanceof StoreOutcomeUnknown) outcomes[name] = 'unknown';
    else outcomes[name] = String(error);
  }
}

const storedVersion = async () => (await store.loadActor('account:a'))?.actor.version ?? 0;

await commit('sound disk');
const before = ballast();
writeFileSync(faultFile, 'full');
await commit('full disk');
const after = ballast();
const afterFull = await storedVersion();
rmSync(faultFile);
await commit('space again');
writeFileSync(faultFile, 'error');
await commit('failing sync');
rmSync(faultFile);
await commit('after the failing sync');
const report: DiskReport = {
  outcomes,
  ballast: { before, after },
  fatalCalls,
  versions: { afterFull, atTheEnd: version },
};
await store.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
