import { StreamJudge } from '../support/stream/stream-judge.ts';
import { cpuSeconds } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { LoadResult } from './load.ts';
import type { Settings } from './settings.ts';
import { type Side, Sides } from './sides.ts';

const IN_FLIGHT = [64, 400];
const WARM_SECONDS = 4;
const BODY = JSON.stringify({
  model: 'sim/fast',
  stream: true,
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Tell me something. @sim {"tokens":60,"tps":20,"ttft_ms":50}' }],
});

interface Round extends LoadResult {
  readonly cpuSeconds: number;
}

/** Streams at a realistic rate: chunks per CPU-second of the proxy or gateway, and the time to the first chunk. */
export async function benchStream(settings: Settings): Promise<readonly Figure[]> {
  const sides = await Sides.start('./bare-sse-proxy.ts');
  try {
    for (const side of [sides.bare, sides.ours]) await run(sides, side, 256, WARM_SECONDS);
    await expectGrammar(sides.ours);
    const figures: Figure[] = [];
    for (const inFlight of IN_FLIGHT) figures.push(...(await compare(sides, settings, inFlight)));
    return figures;
  } finally {
    await sides.stop();
  }
}

/** Frames are counted per stream, so one stream is read to its end before the measurement. */
async function expectGrammar({ target: { port, path, headers } }: Side): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: BODY,
  });
  const { faults } = StreamJudge.of(await answer.text(), { dialect: 'chat' });
  if (faults.length > 0) throw new Error(`a stream of the benchmark is none: ${faults.join('; ')}`);
}

async function compare(sides: Sides, settings: Settings, inFlight: number): Promise<readonly Figure[]> {
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    bare.push(await run(sides, sides.bare, inFlight, settings.seconds));
    ours.push(await run(sides, sides.ours, inFlight, settings.seconds));
  }
  const perCpu = (results: readonly Round[]): number => median(results.map((each) => each.frames / each.cpuSeconds));
  const first = (results: readonly Round[]): number => median(results.map((each) => each.firstMs.p99));
  const failures = ours
    .flatMap((each) => Object.entries(each.failures))
    .map(([status, count]) => `${count} x ${status}`);
  const note = failures.length > 0 ? { note: `failures ${failures.join(', ')}` } : {};
  return [
    {
      name: `streaming, ${inFlight} at once`,
      unit: 'chunks/CPU-s',
      ours: perCpu(ours),
      baseline: perCpu(bare),
      goal: { atLeast: 0.6, of: 'ratio' },
      ...note,
    },
    {
      name: `first token, ${inFlight} streams, p99`,
      unit: 'ms',
      ours: first(ours),
      baseline: first(bare),
      goal: { atMost: 10, of: 'difference' },
    },
  ];
}

async function run(sides: Sides, side: Side, inFlight: number, seconds: number): Promise<Round> {
  const before = cpuSeconds(side.pid);
  const result = await sides.load.run({ ...side.target, body: BODY, inFlight, seconds });
  return { ...result, cpuSeconds: cpuSeconds(side.pid) - before };
}
