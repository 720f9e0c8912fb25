import { request } from 'node:http';
import { call, jsonOf, pause } from '../chaos/call.ts';
import { type Listening, LoadProcess, listening } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { Served } from './load.ts';
import { Measured } from './measured.ts';
import { percentiles } from './percentiles.ts';
import type { Settings } from './settings.ts';

/**
 * Accepting a batch of 1,000 lines and 30 MiB: how long it takes alone and beside live requests, how long the event loop
 * stalls meanwhile, and what the live requests pay that run meanwhile. The lines themselves are cancelled. A bare process
 * that accepts the same body beside the node tells what the machine costs alone.
 */
const LINES = 1_000;
const LINE_CHARACTERS = 30_900;
const ACCEPT_MS_MAX = 1_000;
const STALL_MS_MAX = 100;
const P99_RATIO_MAX = 1.2;
const LIVE = { inFlight: 32, perSecond: 20 } as const;
/** A round of live requests meets enough submissions for a p99. */
const LIVE_SECONDS_MIN = 20;
const WARM = 3;
const ALONE = 5;
/** Between two submissions of one account. */
const REST_MS = 1_000;
/** Live requests count for two seconds. */
const QUIET_MS = 2_500;
const HELLO = JSON.stringify({ model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] });

export async function benchSubmissions({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const node = await Measured.start();
  const [load, sink] = [new LoadProcess(), await listening('./bare-sink.ts', [])];
  const headers = { authorization: `Bearer ${node.key}` };
  const target = { port: node.port, path: '/api/v1/chat/completions', headers, body: HELLO };
  const live = async (): Promise<readonly Served[]> =>
    (await load.run({ ...LIVE, ...target, seconds: Math.max(seconds, LIVE_SECONDS_MIN), listed: true })).served;
  const [ours, bare] = [new Submissions(() => submit(node)), new Submissions(() => toSink(sink))];
  const [alone, quiet]: [number[], number[]] = [[], []];
  try {
    await live();
    for (let nth = 0; nth < WARM; nth++) {
      await submit(node);
      await toSink(sink);
    }
    await pause(QUIET_MS);
    await node.ask('stalls');
    for (let nth = 0; nth < ALONE; nth++) alone.push(await submit(node));
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await live()).map(({ ms }) => ms));
      await ours.beside(live);
      await pause(QUIET_MS);
      await bare.beside(live);
    }
    const accepted = (name: string, values: readonly number[]): Figure => ({
      ...{ name: `a submission of ${LINES} lines and 30 MiB, accepted ${name}`, unit: 'ms' },
      ...{ ours: median(values), baseline: null, goal: { atMost: ACCEPT_MS_MAX, of: 'value' } },
      note: `${values.length}, at most ${Math.max(...values).toFixed(0)} ms`,
    });
    const p99 = (name: string, values: number[], baseline: number[]): Figure => ({
      ...{ name: `whole answer that a submission meets, p99${name}`, unit: 'ms', ours: percentiles(values).p99 },
      ...{ baseline: percentiles(baseline).p99, goal: { atMost: P99_RATIO_MAX, of: 'ratio' } },
      note: `${values.length} answers; p50 ${percentiles(values).p50.toFixed(1)} and ${percentiles(baseline).p50.toFixed(1)} ms`,
    });
    return [
      accepted('alone', alone),
      accepted(`beside ${LIVE.perSecond} requests/s`, ours.tookMs),
      {
        ...{ name: 'longest stall of the event loop', unit: 'ms', baseline: null },
        ...{ ours: (await node.ask('stalls')).maxMs, goal: { atMost: STALL_MS_MAX, of: 'value' } },
      },
      p99(', beside a quiet node', ours.metMs, quiet),
      p99(', if a bare process accepts it, beside a quiet node', bare.metMs, quiet),
      p99(', beside one that a bare process accepts', ours.metMs, bare.metMs),
    ];
  } finally {
    await load.stop();
    await sink.stop();
    await node.stop();
  }
}

/** Submissions one after the other, and the live answers that they met. */
class Submissions {
  readonly tookMs: number[] = [];
  readonly metMs: number[] = [];
  readonly #submit: () => Promise<number>;

  constructor(submit: () => Promise<number>) {
    this.#submit = submit;
  }

  async beside(live: () => Promise<readonly Served[]>): Promise<void> {
    const spans: { readonly from: number; readonly to: number }[] = [];
    let over = false;
    const submitting = (async () => {
      for (await pause(REST_MS); !over; await pause(REST_MS)) {
        const from = wallNow();
        const ms = await this.#submit();
        this.tookMs.push(ms);
        spans.push({ from, to: from + ms });
      }
    })();
    const served = await live();
    over = true;
    await submitting;
    for (const { at, ms } of served) if (spans.some(({ from, to }) => at < to && at + ms > from)) this.metMs.push(ms);
  }
}

/** Wall ms with fractions, as of the load process. */
function wallNow(): number {
  return performance.timeOrigin + performance.now();
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
  const { ms, text } = await accepted(base, key);
  const { id } = JSON.parse(text) as { readonly id: string };
  await call(base, key, `/batches/${id}/cancel`, { method: 'POST' });
  for (let batch: { readonly status: string } | null = null; batch?.status !== 'cancelled'; await pause(50))
    batch = jsonOf(await call(base, key, `/batches/${id}`));
  return ms;
}

async function toSink({ port }: Listening): Promise<number> {
  return (await accepted(`http://127.0.0.1:${port}`, '')).ms;
}

async function accepted(base: string, key: string): Promise<{ readonly ms: number; readonly text: string }> {
  const began = performance.now();
  const { status, text } = await send(base, key);
  const ms = performance.now() - began;
  if (status !== 202) throw new Error(`a submission was answered ${status} ${text.slice(0, 400)}`);
  return { ms, text };
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
