import { call, jsonOf, pause, post } from '../chaos/call.ts';
import { type Figure, median } from './figure.ts';
import type { Settings } from './settings.ts';
import { Sides } from './sides.ts';

/** A batch against the same calls made by a client that keeps as many of them in flight as a batch may. */
const LINES = 1_000;
const IN_FLIGHT = 8;
const RATIO_MAX = 1.1;
const POLL_MS = 50;
/** A short answer at a usual speed: 8 words at 40 a second. */
const DIRECTIVE = { tokens: 8, tps: 40 };
const ROUNDS_MAX = 2;

export async function benchBatches({ rounds }: Settings): Promise<readonly Figure[]> {
  const sides = await Sides.start('./bare-proxy.ts');
  const { port, headers } = sides.ours.target;
  const target = { base: `http://127.0.0.1:${port}/api/v1`, key: (headers.authorization as string).slice(7) };
  const direct: number[] = [];
  const batched: number[] = [];
  try {
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      direct.push(await eightAtATime(target));
      batched.push(await oneBatch(target));
    }
  } finally {
    await sides.stop();
  }
  return [
    {
      name: `a batch of ${LINES} lines, beside the same calls ${IN_FLIGHT} at a time`,
      unit: 's',
      ours: median(batched),
      baseline: median(direct),
      goal: { atMost: RATIO_MAX, of: 'ratio' },
    },
  ];
}

interface Target {
  readonly base: string;
  readonly key: string;
}

function bodyOf(nth: number): object {
  const content = `Say something. @sim ${JSON.stringify({ id: `line-${nth}`, ...DIRECTIVE })}`;
  return { model: 'sim/fast', max_tokens: 100, messages: [{ role: 'user', content }] };
}

async function eightAtATime({ base, key }: Target): Promise<number> {
  const from = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < LINES) {
      const { status } = await post(base, key, '/chat/completions', bodyOf(next++));
      if (status !== 200) throw new Error(`a call was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return (performance.now() - from) / 1_000;
}

async function oneBatch({ base, key }: Target): Promise<number> {
  const requests = Array.from({ length: LINES }, (_, nth) => ({ custom_id: `line-${nth}`, body: bodyOf(nth) }));
  const from = performance.now();
  const answer = await post(base, key, '/batches', { endpoint: '/v1/chat/completions', requests });
  const { id } = jsonOf<{ id: string }>(answer) ?? {};
  if (answer.status !== 202) throw new Error(`the batch was answered ${answer.status} ${answer.bytes.toString()}`);
  for (;;) {
    await pause(POLL_MS);
    const batch = jsonOf<{ status: string; request_counts: object }>(await call(base, key, `/batches/${id}`));
    if (batch?.status === 'completed') return (performance.now() - from) / 1_000;
    if (batch !== null && batch.status !== 'validating' && batch.status !== 'in_progress')
      throw new Error(`the batch ended ${JSON.stringify(batch.status)}`);
  }
}
