import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, jsonOf, pause, post } from '../chaos/call.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { ROOT } from '../support/sources.ts';
import type { Figure } from './figure.ts';

/**
 * How many product files one request runs through on the main thread of one warm node: V8's counts of called functions
 * from the request to its end, without the files that an idle node also executes. Files of the simulated providers, which
 * run in this process too, are left out. Goals: the counts of 24 November 2026, before parts of the house were merged.
 */
const WARM_ROUNDS = 5;
const IDLE_MS = 5_000;
const POLL_MS = 20;
const POLLS_MAX = 1_500;
const COMPLETION = { model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] };
const VIDEO = {
  model: 'sim/filmstrip',
  prompt: 'a lake at dawn @sim {"render_ms":100}',
  duration: 1,
  resolution: '480p',
};
const ENDED = new Set(['completed', 'failed', 'expired', 'cancelled']);

interface Target {
  readonly base: string;
  readonly key: string;
}

export async function benchExecuted(): Promise<readonly Figure[]> {
  const cluster = await startCluster({ simulators: ['sim-a', 'sim-v'], rates: UNLIMITED });
  const calls = await CalledFiles.start();
  try {
    const target = { base: cluster.baseUrls[0] as string, key: (await cluster.fund('100')).key };
    for (let round = 0; round < WARM_ROUNDS; round++) for (const run of [complete, batch, render]) await run(target);
    await calls.take();
    await pause(IDLE_MS);
    const idle = await calls.take();
    const figures: Figure[] = [];
    for (const [name, run, before] of [
      ['a completion', complete, 181],
      ['a batch of one line', batch, 254],
      ['a video', render, 195],
    ] as const) {
      await calls.take();
      await run(target);
      const files = [...(await calls.take())].filter((file) => !idle.has(file));
      figures.push({
        name: `product files executed by ${name}`,
        unit: 'files',
        ours: files.length,
        baseline: null,
        goal: { atMost: before, of: 'value' },
      });
    }
    return figures;
  } finally {
    await calls.stop();
    await cluster.close();
  }
}

async function complete({ base, key }: Target): Promise<void> {
  const { status, bytes } = await post(base, key, '/chat/completions', COMPLETION);
  if (status !== 200) throw new Error(`a completion was answered ${status} ${bytes.toString()}`);
}

async function batch(target: Target): Promise<void> {
  const requests = [{ custom_id: 'line', body: COMPLETION }];
  const answer = await post(target.base, target.key, '/batches', { endpoint: '/v1/chat/completions', requests });
  await ended(target, `/batches/${jsonOf<{ id: string }>(answer)?.id}`);
}

async function render(target: Target): Promise<void> {
  const answer = await post(target.base, target.key, '/videos', VIDEO);
  await ended(target, `/videos/${jsonOf<{ id: string }>(answer)?.id}`);
}

/** Polls a job until it has ended; throws unless it completed. */
async function ended({ base, key }: Target, path: string): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const answer = await call(base, key, path);
    const { status } = jsonOf<{ status: string }>(answer) ?? {};
    if (status === 'completed') return;
    if (answer.status !== 200 || (status !== undefined && ENDED.has(status)))
      throw new Error(`${path} was answered ${answer.status} ${answer.bytes.toString()}`);
    await pause(POLL_MS);
  }
  throw new Error(`${path} did not end`);
}

/** The product files of which a function was called since the last question. */
class CalledFiles {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async start(): Promise<CalledFiles> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return new CalledFiles(session);
  }

  async take(): Promise<ReadonlySet<string>> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const called = result.filter(({ functions }) =>
      // The first function of a script is the module itself, which runs when it loads.
      functions.some(({ functionName, ranges }, at) => (at > 0 || functionName !== '') && (ranges[0]?.count ?? 0) > 0),
    );
    return new Set(called.map(({ url }) => pathOf(url)).filter(isProduct));
  }

  async stop(): Promise<void> {
    await this.#session.post('Profiler.disable');
    this.#session.disconnect();
  }
}

function pathOf(url: string): string {
  return url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
}

function isProduct(path: string): boolean {
  return /^(actors|gateway)\//.test(path) && !path.startsWith('gateway/simulator/');
}
