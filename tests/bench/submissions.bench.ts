import { request } from 'node:http';
import { call, jsonOf, pause } from '../chaos/call.ts';
import { LoadProcess } from './child.ts';
import { type Figure, median } from './figure.ts';
import { Measured } from './measured.ts';
import type { Settings } from './settings.ts';

/**
 * Accepting a batch of 1,000 lines and 30 MiB: how long it takes alone and beside live requests, how long the event loop
 * stalls meanwhile, and what the live requests pay. The lines themselves are cancelled.
 */
const LINES = 1_000;
const LINE_CHARACTERS = 30_900;
const ACCEPT_MS_MAX = 1_000;
const STALL_MS_MAX = 100;
const P99_RATIO_MAX = 1.2;
const LIVE = { inFlight: 32, perSecond: 20 } as const;
/** A round of live requests has enough of them for a p99. */
const LIVE_SECONDS_MIN = 10;
const WARM = 3;
const ALONE = 5;
/** Between two submissions of one account. */
const REST_MS = 1_000;
/** Live requests count for two seconds. */
const QUIET_MS = 2_500;
const HELLO = JSON.stringify({ model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] });

export async function benchSubmissions({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const node = await Measured.start();
  const load = new LoadProcess();
  const headers = { authorization: `Bearer ${node.key}` };
  const live = { ...LIVE, port: node.port, path: '/api/v1/chat/completions', headers, body: HELLO };
  const p99 = async (): Promise<number> =>
    (await load.run({ ...live, seconds: Math.max(seconds, LIVE_SECONDS_MIN) })).servedMs.p99;
  const [alone, beside, quiet, loaded]: [number[], number[], number[], number[]] = [[], [], [], []];
  try {
    await p99();
    for (let nth = 0; nth < WARM; nth++) await submit(node);
    await pause(QUIET_MS);
    await node.ask('stalls');
    for (let nth = 0; nth < ALONE; nth++) alone.push(await submit(node));
    for (let round = 0; round < rounds; round++) {
      quiet.push(await p99());
      let over = false;
      const submitting = (async () => {
        for (await pause(REST_MS); !over; await pause(REST_MS)) beside.push(await submit(node));
      })();
      loaded.push(await p99());
      over = true;
      await submitting;
    }
    const value = (name: string, values: readonly number[]): Figure => ({
      ...{ name: `a submission of ${LINES} lines and 30 MiB, accepted ${name}`, unit: 'ms' },
      ...{ ours: median(values), baseline: null, goal: { atMost: ACCEPT_MS_MAX, of: 'value' } },
      note: `${values.length}, at most ${Math.max(...values).toFixed(0)} ms`,
    });
    return [
      value('alone', alone),
      value(`beside ${LIVE.perSecond} requests/s`, beside),
      {
        ...{ name: 'longest stall of the event loop', unit: 'ms', baseline: null },
        ...{ ours: (await node.ask('stalls')).maxMs, goal: { atMost: STALL_MS_MAX, of: 'value' } },
      },
      {
        ...{ name: 'whole answer beside them, p99', unit: 'ms', ours: median(loaded), baseline: median(quiet) },
        goal: { atMost: P99_RATIO_MAX, of: 'ratio' },
      },
    ];
  } finally {
    await load.stop();
    await node.stop();
  }
}

function bodyOf(): Buffer {
  const content = 'A sentence of some words. '.repeat(LINE_CHARACTERS / 26);
  const body = { max_tokens: 16, messages: [{ role: 'user', content }] };
  const requests = Array.from({ length: LINES }, (_, nth) => ({ custom_id: `line-${nth}`, body }));
  return Buffer.from(JSON.stringify({ endpoint: '/v1/chat/completions', model: 'sim/fast', requests }));
}
const BODY = bodyOf();

/** From its first byte to the answer, ms; then the batch is cancelled. */
async function submit({ port, key }: Measured): Promise<number> {
  const base = `http://127.0.0.1:${port}/api/v1`;
  const began = performance.now();
  const { status, text } = await send(base, key);
  const ms = performance.now() - began;
  if (status !== 202) throw new Error(`a submission was answered ${status} ${text.slice(0, 400)}`);
  const { id } = JSON.parse(text) as { readonly id: string };
  await call(base, key, `/batches/${id}/cancel`, { method: 'POST' });
  for (let batch: { readonly status: string } | null = null; batch?.status !== 'cancelled'; await pause(50))
    batch = jsonOf(await call(base, key, `/batches/${id}`));
  return ms;
}

function send(base: string, key: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
    };
    const sent = request(`${base}/batches`, { method: 'POST', headers, agent: false }, async (answer) => {
      let text = '';
      for await (const piece of answer.setEncoding('utf8')) text += piece;
      resolve({ status: answer.statusCode ?? 0, text });
    });
    sent.on('error', reject).end(BODY);
  });
}
