import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { buildFirst } from '../support/cluster/build-first.ts';
import { type Figure, ratio, reached, table } from './figure.ts';
import type { Settings } from './settings.ts';

/**
 * `npm run bench [-- names or runtime] [--json] [--seconds N] [--rounds N] [--minutes N] [--accounts N]`: measures
 * every figure that exists, each beside its baseline in the same run, in sequence, and prints one table. A failing
 * benchmark is reported; the rest continues.
 */
type Bench = (settings: Settings) => Promise<readonly Figure[]>;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  step: async () => {
    const { benchStep } = await import('./step.bench.ts');
    return async () => [{ ...(await benchStep()), goal: { atLeast: 0.6, of: 'ratio' } }];
  },
  tokens: async () => (await import('./tokens.bench.ts')).benchTokens,
  money: async () => (await import('./money.bench.ts')).benchMoney,
  whole: async () => (await import('./whole.bench.ts')).benchWhole,
  fairness: async () => (await import('./whole.bench.ts')).benchFairness,
  stream: async () => (await import('./stream.bench.ts')).benchStream,
  dialects: async () => (await import('./dialects.bench.ts')).benchDialects,
  wires: async () => (await import('./wires.bench.ts')).benchWires,
  executed: async () => (await import('./executed.bench.ts')).benchExecuted,
  idle: async () => (await import('./idle.bench.ts')).benchIdle,
  feed: async () => (await import('./feed.bench.ts')).benchFeed,
  growth: async () => (await import('./growth.bench.ts')).benchGrowth,
  lists: async () => (await import('./lists.bench.ts')).benchLists,
  'lists-postgres': async () => (await import('./lists.bench.ts')).benchListsPostgres,
  watch: async () => (await import('./watch.bench.ts')).benchWatch,
  soak: async () => (await import('./soak.bench.ts')).benchSoak,
  hostile: async () => (await import('./hostile.bench.ts')).benchHostile,
  timing: async () => (await import('./timing.bench.ts')).benchTiming,
  ask: async () => (await import('./ask.bench.ts')).benchAsk,
  'ask-postgres': async () => (await import('./ask.bench.ts')).benchAskPostgres,
  activation: async () => (await import('./activation.bench.ts')).benchActivation,
  'activation-postgres': async () => (await import('./activation.bench.ts')).benchActivationPostgres,
  residents: async () => (await import('./residents.bench.ts')).benchResidents,
  writers: async () => (await import('./writers.bench.ts')).benchWriters,
  timers: async () => (await import('./timers.bench.ts')).benchTimers,
  disk: async () => (await import('./disk.bench.ts')).benchDisk,
  blobs: async () => (await import('./blobs.bench.ts')).benchBlobs,
  catalogue: async () => (await import('./catalogue.bench.ts')).benchCatalogue,
  uploads: async () => (await import('./uploads.bench.ts')).benchUploads,
  batches: async () => (await import('./batches.bench.ts')).benchBatches,
  submissions: async () => (await import('./submissions.bench.ts')).benchSubmissions,
  videos: async () => (await import('./videos.bench.ts')).benchVideos,
  takeover: async () => (await import('./takeover.bench.ts')).benchTakeover,
  drain: async () => (await import('./drain.bench.ts')).benchDrain,
};

/** Names of groups of benchmarks. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  runtime: [
    ...['step', 'money', 'ask', 'ask-postgres', 'activation', 'activation-postgres', 'residents'],
    ...['writers', 'timers', 'disk', 'blobs', 'takeover', 'drain'],
  ],
};

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      minutes: { type: 'string' },
      accounts: { type: 'string' },
    },
  });
  const settings = {
    seconds: Number(values.seconds ?? 3),
    rounds: Number(values.rounds ?? 3),
    minutes: Number(values.minutes ?? 1),
    accounts: values.accounts === undefined ? null : Number(values.accounts),
  };
  const requested = positionals.length > 0 ? positionals : Object.keys(BENCHES);
  const names = requested.flatMap((name) => GROUPS[name] ?? [name]);
  const figures: Figure[] = [];
  const failures: string[] = [];
  for (const name of names) {
    process.stderr.write(`measuring ${name} ...\n`);
    try {
      const load = BENCHES[name];
      if (load === undefined)
        throw new Error(
          `there is no such benchmark; there are ${[...Object.keys(GROUPS), ...Object.keys(BENCHES)].join(', ')}`,
        );
      figures.push(...(await (await load())(settings)));
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' };
  process.stdout.write(values.json ? `${json(figures, failures, machine)}\n` : `${text(figures, failures, machine)}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

function json(figures: readonly Figure[], failures: readonly string[], machine: object): string {
  const rows = figures.map((figure) => ({ ...figure, ratio: ratio(figure), reached: reached(figure) }));
  return JSON.stringify({ machine, figures: rows, failures }, null, 2);
}

function text(
  figures: readonly Figure[],
  failures: readonly string[],
  machine: Readonly<Record<string, unknown>>,
): string {
  const head = `Node ${machine.node}, ${machine.cores} x ${machine.cpu}`;
  return [head, '', table(figures), ...failures.map((failure) => `failed: ${failure}`)].join('\n');
}

await buildFirst();
await run();
