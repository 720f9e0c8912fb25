/** Durable asks within one engine on the memory store: the cost of the engine itself, without disk or network. */
import { openStage, type Stage } from '../actors/runtime/durable/stage.ts';

const IN_FLIGHT = 64;

interface EngineFigure {
  readonly name: string;
  readonly ours: number;
  readonly unit: string;
}

/** Asks per second with 64 in flight, over `actors` actors, for about `ms`. */
async function benchEngine(actors: number, ms = 2_000): Promise<EngineFigure> {
  const stage = await openStage();
  const addresses = Array.from({ length: actors }, (_, i) => `counter:acct_${i}`);
  for (const address of addresses) await stage.body(address, { type: 'add', by: 1 });
  await run(stage, addresses, ms / 4);
  const perSecond = await run(stage, addresses, ms);
  await stage.close();
  return { name: `durable ask, ${actors} actors`, ours: perSecond, unit: 'asks/s' };
}

function run(stage: Stage, addresses: readonly string[], ms: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const end = start + ms;
    let done = 0;
    let open = 0;
    let next = 0;
    const ask = (): void => {
      open++;
      const to = addresses[next++ % addresses.length] as string;
      stage.engine.deliver({ to, event: { type: 'add', by: 1 }, deadline: end + 10_000 }, (answer) => {
        open--;
        if (!answer.ok) reject(new Error(JSON.stringify(answer)));
        done++;
        const now = performance.now();
        if (now < end) ask();
        else if (open === 0) resolve((done * 1_000) / (now - start));
      });
    };
    for (let i = 0; i < IN_FLIGHT; i++) ask();
  });
}

if (process.argv[1]?.endsWith('engine.bench.ts')) {
  for (const actors of [1, 1_000]) {
    const { name, ours, unit } = await benchEngine(actors);
    process.stdout.write(`${name}: ${Math.round(ours)} ${unit}\n`);
  }
}
