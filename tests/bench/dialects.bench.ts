import { cpuSeconds } from './child.ts';
import type { Figure } from './figure.ts';
import type { LoadResult } from './load.ts';
import type { Settings } from './settings.ts';
import { type Side, Sides } from './sides.ts';

const IN_FLIGHT = 64;
const WARM_SECONDS = 6;
const TOKENS = 200;
const WHOLE = 'Which river runs through the capital of the country that borders both of these seas?';
const STREAM = `Tell me something. @sim {"tokens":${TOKENS},"tps":100}`;

interface Dialect {
  readonly path: string;
  readonly body: (prompt: string, stream: boolean) => object;
}

const said = (content: string): object => ({ messages: [{ role: 'user', content }] });

const CHAT: Dialect = {
  path: '/api/v1/chat/completions',
  body: (prompt, stream) => ({ model: 'sim/fast', max_tokens: 256, stream, ...said(prompt) }),
};

const OTHERS: Readonly<Record<string, Dialect>> = {
  messages: { ...CHAT, path: '/api/v1/messages' },
  responses: {
    path: '/api/v1/responses',
    body: (input, stream) => ({ model: 'sim/fast', max_output_tokens: 256, stream, input }),
  },
};

interface Round extends LoadResult {
  readonly cpuSeconds: number;
}

/** What a dialect costs beside chat, on the same node with the same upstream: CPU per request, and per chunk. */
export async function benchDialects(settings: Settings): Promise<readonly Figure[]> {
  const sides = await Sides.start('./bare-proxy.ts');
  try {
    const figures: Figure[] = [];
    for (const stream of [false, true]) figures.push(...(await compare(sides, settings, stream)));
    return figures;
  } finally {
    await sides.stop();
  }
}

async function compare(sides: Sides, settings: Settings, stream: boolean): Promise<readonly Figure[]> {
  const all = Object.entries({ chat: CHAT, ...OTHERS });
  const rounds = new Map<string, Round[]>(all.map(([name]) => [name, []]));
  for (const [, dialect] of all) await run(sides, dialect, stream, WARM_SECONDS);
  for (let round = 0; round < settings.rounds; round++) {
    // Another dialect begins each round, so that none always runs on a node that has just rested.
    const turned = [...all.slice(round % all.length), ...all.slice(0, round % all.length)];
    for (const [name, dialect] of turned) rounds.get(name)?.push(await run(sides, dialect, stream, settings.seconds));
  }
  const chat = cost(rounds.get('chat') ?? [], stream);
  return Object.keys(OTHERS).map((name) => ({
    name: `${name} beside chat, CPU per ${stream ? `chunk of ${TOKENS}` : 'request'}`,
    unit: 'us',
    ours: cost(rounds.get(name) ?? [], stream),
    baseline: chat,
    goal: { atMost: 1.15, of: 'ratio' as const },
    ...failures(rounds.get(name) ?? []),
  }));
}

/** The least of the rounds: other work on the machine only ever adds to the CPU time of a request. */
function cost(rounds: readonly Round[], stream: boolean): number {
  const micros = rounds.map(({ cpuSeconds: cpu, answered }) => (cpu / answered) * 1e6);
  return Math.min(...micros) / (stream ? TOKENS : 1);
}

function failures(rounds: readonly Round[]): { readonly note?: string } {
  const all = rounds.flatMap((each) => Object.entries(each.failures)).map(([status, count]) => `${count} x ${status}`);
  return all.length === 0 ? {} : { note: `failures ${all.join(', ')}` };
}

async function run(sides: Sides, dialect: Dialect, stream: boolean, seconds: number): Promise<Round> {
  const { target, pid }: Side = sides.ours;
  const body = JSON.stringify(dialect.body(stream ? STREAM : WHOLE, stream));
  const before = cpuSeconds(pid);
  const result = await sides.load.run({ ...target, path: dialect.path, body, inFlight: IN_FLIGHT, seconds });
  return { ...result, cpuSeconds: cpuSeconds(pid) - before };
}
