import { cpuSeconds } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { LoadResult } from './load.ts';
import type { Settings } from './settings.ts';
import { type Side, Sides } from './sides.ts';

const IN_FLIGHT = [64, 128, 256, 400];
/**
 * Both sides run long enough for the JIT compiler to finish (requests/s of ours in the first four periods of
 * four seconds: 2,935, 3,684, 4,032 and 4,666; from then on about 4,100).
 */
const WARM_SECONDS = 16;
const BODY = JSON.stringify({
  model: 'sim/fast',
  max_tokens: 64,
  messages: [
    { role: 'system', content: 'Answer in one short sentence.' },
    { role: 'user', content: 'Which river runs through the capital of the country that borders both of these seas?' },
  ],
});

/**
 * Answers in one piece: requests per second and added latency, with durable hold and settle, one hot key and account.
 */
export async function benchWhole(settings: Settings): Promise<readonly Figure[]> {
  const sides = await Sides.start('./bare-proxy.ts');
  try {
    for (const side of [sides.bare, sides.ours]) await run(sides, side, { inFlight: 64, seconds: WARM_SECONDS });
    const figures: Figure[] = [];
    for (const inFlight of IN_FLIGHT) {
      const { bare, ours } = await rounds(sides, settings, (side) =>
        run(sides, side, { inFlight, seconds: settings.seconds }),
      );
      figures.push({
        name: `chat completion, ${inFlight} in flight`,
        unit: 'requests/s',
        ours: rate(ours),
        baseline: rate(bare),
        goal: { atLeast: 0.5, of: 'ratio' },
        note: `${inOneRequest(bare)} and ${inOneRequest(ours)} us of CPU per request${failed(ours)}`,
      });
    }
    figures.push(bestOf(figures));
    figures.push(...(await addedLatency(sides, settings, (figures[0]?.ours ?? 0) / 2)));
    return figures;
  } finally {
    await sides.stop();
  }
}

/**
 * One account on three nodes: whether the requests of some connections starve. The proxy, one process, shows the ratio
 * that the machine and the load generator cause by themselves.
 */
export async function benchFairness(settings: Settings): Promise<readonly Figure[]> {
  const sides = await Sides.start('./bare-proxy.ts', 3);
  const inFlight = 256;
  try {
    for (const side of [sides.bare, sides.ours]) await run(sides, side, { inFlight: 64, seconds: WARM_SECONDS });
    const { bare, ours } = await rounds(sides, settings, (side) =>
      run(sides, side, { inFlight, seconds: settings.seconds }),
    );
    const spread = (results: readonly Round[]) => median(results.map(({ servedMs: { p50, p99 } }) => p99 / p50));
    const times = (results: readonly Round[]): string => {
      const of = (share: 'p50' | 'p99') => median(results.map(({ servedMs }) => servedMs[share])).toFixed(0);
      return `${of('p50')} and ${of('p99')} ms`;
    };
    return [
      {
        name: `one account on three nodes, ${inFlight} in flight, p99 / p50`,
        unit: 'x',
        ours: spread(ours),
        baseline: spread(bare),
        goal: { atMost: 3, of: 'value' },
        note: `p50 and p99 of ours ${times(ours)}, of the proxy ${times(bare)}${failed(ours)}`,
      },
    ];
  } finally {
    await sides.stop();
  }
}

/** The maximum of each side: the proxy peaks with few requests in flight, we with many. */
function bestOf(figures: readonly Figure[]): Figure {
  return {
    name: 'chat completion, the best of these',
    unit: 'requests/s',
    ours: Math.max(...figures.map(({ ours }) => ours)),
    baseline: Math.max(...figures.map(({ baseline }) => baseline ?? 0)),
    goal: { atLeast: 0.5, of: 'ratio' },
  };
}

async function addedLatency(sides: Sides, settings: Settings, perSecond: number): Promise<readonly Figure[]> {
  const { bare, ours } = await rounds(sides, settings, (side) =>
    run(sides, side, { inFlight: 256, seconds: settings.seconds, perSecond }),
  );
  const at = (results: readonly Round[], of: 'p50' | 'p99'): number =>
    median(results.map((each) => each.latencyMs[of]));
  const figure = (of: 'p50' | 'p99', atMost: number): Figure => ({
    name: `added latency at half load (${Math.round(perSecond)}/s), ${of}`,
    unit: 'ms',
    ours: at(ours, of),
    baseline: at(bare, of),
    goal: { atMost, of: 'difference' },
  });
  return [figure('p50', 1), figure('p99', 5)];
}

interface Round extends LoadResult {
  readonly cpuSeconds: number;
}

async function run(
  sides: Sides,
  side: Side,
  load: { readonly inFlight: number; readonly seconds: number; readonly perSecond?: number },
): Promise<Round> {
  const before = cpuSeconds(side.pid);
  const result = await sides.load.run({ ...side.target, body: BODY, ...load });
  return { ...result, cpuSeconds: cpuSeconds(side.pid) - before };
}

async function rounds(
  sides: Sides,
  settings: Settings,
  measure: (side: Side) => Promise<Round>,
): Promise<{ readonly bare: readonly Round[]; readonly ours: readonly Round[] }> {
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    bare.push(await measure(sides.bare));
    ours.push(await measure(sides.ours));
  }
  return { bare, ours };
}

function rate(results: readonly Round[]): number {
  return median(results.map((each) => each.answered / each.seconds));
}

function inOneRequest(results: readonly Round[]): number {
  return Math.round(median(results.map((each) => (each.cpuSeconds / each.answered) * 1e6)));
}

function failed(results: readonly Round[]): string {
  const failures = results.flatMap((each) => Object.entries(each.failures));
  if (failures.length === 0) return '';
  return `; failures ${failures.map(([status, count]) => `${count} x ${status}`).join(', ')}`;
}
