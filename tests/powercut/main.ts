import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { chance } from '../chaos/chance.ts';
import { record } from './record.ts';
import { cutPower } from './replay.ts';

/**
 * `npm run powercut -- [--cuts N] [--commits N] [--seed N] [--by door|strace]`: records a writer, cuts the power under
 * it repeatedly, and checks the remaining files; then the same with less syncing than the product requests, which must
 * lose commits. With strace, if available, the recording holds the real system calls.
 */
const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '2000' },
    commits: { type: 'string', default: '600' },
    seed: { type: 'string' },
    by: { type: 'string' },
  },
});
const hasStrace = spawnSync('strace', ['-V']).status === 0;
const by = (values.by ?? (hasStrace ? 'strace' : 'door')) as 'door' | 'strace';
if (by !== 'door' && by !== 'strace') throw new Error(`--by ${by}: must be door or strace`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const cuts = Number(values.cuts);
const tell = (line: string): unknown => process.stdout.write(`${line}\n`);

tell(`recorded ${by === 'strace' ? 'with every system call' : "at the driver's door"}, seed ${seed}`);
let clean = true;
for (const level of ['FULL', 'NORMAL'] as const) {
  // This many large commits fill a log of 16 MiB, at which size it is checkpointed.
  const recording = await record({ commits: Number(values.commits), large: 10, level, by });
  const syncs = recording.events.filter(({ type }) => type === 'sync').length;
  const report = cutPower(recording, level === 'FULL' ? cuts : Math.ceil(cuts / 5), chance(seed));
  tell(
    `synchronous=${level}: ${recording.events.length} events, ${syncs} syncs; ${report.cuts} cuts, ${report.atStake} of them with something at stake: ${report.losing} lost acknowledged commits (at most ${report.lostMost}), ${report.damaged.length} damaged`,
  );
  for (const line of report.damaged) tell(`  ${line}`);
  clean &&= report.damaged.length === 0 && (level === 'FULL' ? report.losing === 0 : report.losing > 0);
}
tell(clean ? 'clean: nothing acknowledged is lost, and the control loses' : 'NOT CLEAN');
process.exit(clean ? 0 : 1);
