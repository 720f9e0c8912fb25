import { parseArgs } from 'node:util';
import { buildFirst } from '../support/cluster/build-first.ts';
import { runAttacks } from './run.ts';

/**
 * `npm run attack -- [--minutes 10] [--only NAME]... [--strength 1]`: every attack against three node
 * processes, with another tenant's requests beside it. Prints what held and what failed; exit code 0 if all held.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true, default: [] },
    strength: { type: 'string', default: '1' },
  },
});
await buildFirst();
const outcomes = await runAttacks({
  seconds: Number(values.minutes) * 60,
  only: values.only,
  strength: Number(values.strength),
  tell: (line) => process.stdout.write(`${line}\n`),
});
const held = outcomes.filter((outcome) => outcome.held).length;
process.stdout.write(`${held} held, ${outcomes.length - held} failed\n`);
process.exit(held === outcomes.length ? 0 : 1);
