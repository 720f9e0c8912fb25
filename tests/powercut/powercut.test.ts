/** Power cuts by replay: files as a disk may hold them at any moment, opened as a node opens them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chance } from '../chaos/chance.ts';
import { bounded } from '../support/bounded.ts';
import { record } from './record.ts';
import { cutPower } from './replay.ts';

const it = bounded(test, 120_000);
const SEED = Number(process.env.TROUPE_SEED ?? Math.floor(Math.random() * 2 ** 31));

it('every acknowledged commit survives a power cut with any subset of the unsynced writes, and the file is sound (rule N19)', async () => {
  const recording = await record({ commits: 160, large: 9, level: 'FULL', by: 'door' });
  assert.ok(
    recording.events.some((event) => event.type === 'write' && event.file === 'db'),
    'the log was never moved into the database',
  );
  const report = cutPower(recording, 300, chance(SEED));
  assert.ok(report.atStake > 100, `only ${report.atStake} cuts had something at stake`);
  assert.equal(report.damaged, [], `seed ${SEED}`);
  assert.is(report.losing, 0, `seed ${SEED}: up to ${report.lostMost} acknowledged commits lost`);
});

it('the same cuts detect the losses of a writer that syncs less', async () => {
  const recording = await record({ commits: 60, large: 0, level: 'NORMAL', by: 'door' });
  const report = cutPower(recording, 40, chance(SEED));
  assert.ok(report.losing > 10, `seed ${SEED}: ${report.losing} cuts lost something`);
  assert.equal(report.damaged, [], `seed ${SEED}: nothing is ever damaged`);
});

test.run();
