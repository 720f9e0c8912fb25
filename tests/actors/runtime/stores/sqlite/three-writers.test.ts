/** Three processes on one file, like three nodes of one host. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SOLE_WRITER_LOG } from '../../../../../actors/runtime/stores/sqlite/checkpoint-after-commit.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { nodeArguments } from '../../../../support/node-arguments.ts';
import type { WriterReport } from '../../../../support/store-writer.ts';

const it = bounded(test);
const COMMITS = 400;
/** Far above the values of fair sharing. A starved writer waits for most of the run, however slow the machine is. */
const WORST_MS = 2_000;
const WORST_SHARE = 0.5;
/** Pages that others add during the attempts to restart the log come on top. */
const LOG_BYTES_MAX = SOLE_WRITER_LOG.most * 4_096 * 1.5;
const writer = fileURLToPath(new URL('../../../../support/store-writer.ts', import.meta.url));

async function run(path: string, name: string, shard: number): Promise<WriterReport> {
  const args = [...nodeArguments(writer), path, name, String(COMMITS), String(shard), '3'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as WriterReport;
}

it('three processes open and write one new file at once: no commit is lost, no writer starves and the log stays short', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-three-'));
  const path = join(folder, 't.db');
  try {
    const names = ['n0', 'n1', 'n2'];
    const reports = await Promise.all(names.map((name, shard) => run(path, name, shard)));
    const store = await openSqliteStore({
      ...{ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 1_000 },
    });
    try {
      for (const [i, name] of names.entries()) {
        assert.is(reports[i]?.acknowledged, COMMITS);
        assert.is((await store.loadActor(`account:${name}`))?.actor.version, COMMITS);
        const rows = await store.rows({ collection: 'holds', address: `account:${name}`, limit: 1_000 });
        assert.equal(
          rows.map(({ sort }) => sort),
          Array.from({ length: COMMITS }, (_, version) => version + 1),
        );
      }
    } finally {
      await store.close();
    }
    const [started, ended] = [reports.map(({ startedAt }) => startedAt), reports.map(({ endedAt }) => endedAt)];
    const overlapMs = Math.min(...ended) - Math.max(...started);
    const worstMsMax = Math.max(WORST_MS, (Math.max(...ended) - Math.min(...started)) * WORST_SHARE);
    assert.ok(overlapMs > 0, 'the writers did not run at the same time');
    for (const { logBytes } of reports) assert.ok(logBytes < LOG_BYTES_MAX, `the log has ${logBytes} bytes`);
    for (const { worstMs } of reports) assert.ok(worstMs < worstMsMax, `a commit took ${worstMs.toFixed(0)} ms`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
