import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:http';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccounts } from '../chaos/bank.ts';
import { call, jsonOf, pause } from '../chaos/call.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { type Listening, LoadProcess, listening } from './child.ts';
import { type Figure, median } from './figure.ts';
import { rssOf } from './rss-of.ts';
import type { Settings } from './settings.ts';

/**
 * Renders of clips of 20 MiB on one node: how much the process grows with 200 at once, and what live requests pay beside
 * downloads at the speed of the wire.
 */
const MIB = 1024 * 1024;
const CLIP_BYTES = 20 * MIB;
const RENDERS = 200;
/**
 * As many are rendered first with clips of some kilobytes: what 200 jobs cost beside their bytes is no growth. Twice, since
 * the young generation of the heap reaches its size in the second round (measured: 123, then 190 MiB of heap).
 */
const SMALL_BYTES = 0;
const SMALL_ROUNDS = 2;
const ACCOUNTS = 4;
/** Each render ends this late, so that all are under way together. */
const RENDER_MS = 20_000;
const GROWN_MIB_MAX = 64;
const P99_RATIO_MAX = 1.2;
/** A live load that one node serves with ease. */
const LIVE = { inFlight: 32, perSecond: 300 } as const;
/** In a shorter round, one stall of the machine decides the p99. */
const LIVE_SECONDS_MIN = 10;
const CHAT = JSON.stringify({ model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] });
const UNLIMITED = 1_000_000_000;
const READ_MS = 5;
const POLL_MS = 2_000;
/** 200 submissions at once may be load: a node that sheds it answers 503, or in time nothing. */
const AGAIN: ReadonlySet<number | null> = new Set([503, null]);
const SUBMIT_TRIES_MAX = 20;
const PATIENT_MS = 300_000;
/** A person who downloads one clip after the other. */
const REST_MS = 1_000;
/** 1 Gbit/s. */
const WIRE_BYTES_PER_SECOND = 125_000_000;

export async function benchVideos({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const stage = await Stage.start();
  try {
    return [...(await manyRenders(stage)), ...(await liveBeside(stage, seconds, rounds))];
  } finally {
    await stage.stop();
  }
}

/** One node over two simulated providers, with accounts that pay. */
class Stage {
  readonly pid: number;
  readonly port: number;
  readonly base: string;
  readonly keys: readonly string[];
  readonly load = new LoadProcess();
  readonly #cluster: LaunchedCluster;
  readonly #processes: readonly Listening[];

  private constructor(cluster: LaunchedCluster, processes: readonly Listening[], keys: readonly string[]) {
    this.#cluster = cluster;
    this.#processes = processes;
    this.keys = keys;
    this.pid = cluster.connection()?.nodes[0]?.pid ?? 0;
    this.port = cluster.port;
    this.base = cluster.baseUrl;
  }

  static async start(): Promise<Stage> {
    const slugs = ['sim-a', 'sim-v'] as const;
    const main = '../../gateway/simulator/main.ts';
    const processes = await Promise.all(slugs.map((slug) => listening(main, ['--name', slug])));
    const baseUrls = processes.map(({ port }) => `http://127.0.0.1:${port}/v1`);
    const cluster = await LaunchedCluster.start({
      // On a busy machine the node may be late with its heartbeat, and a restarted one has other memory.
      launcher: { stoppedKillMs: PATIENT_MS, silentKillMs: PATIENT_MS, storeBusyKillMs: PATIENT_MS },
      nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
      rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
      providers: slugs.map((slug, nth) => simulatedProvider(slug, baseUrls[nth] as string)),
    });
    const payers = await openAccounts(cluster, ACCOUNTS, '100000');
    const stage = new Stage(
      cluster,
      processes,
      payers.map(({ key }) => key),
    );
    // The downloads stand for another machine: on this one their reader must not delay the node.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    return stage;
  }

  async stop(): Promise<void> {
    await this.load.stop();
    await this.#cluster.stop();
    for (const each of this.#processes) await each.stop();
  }
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error?: object;
}

interface Clip {
  readonly renderMs: number;
  readonly bytes: number;
}

async function submit({ base, keys }: Stage, nth: number, clip: Clip): Promise<{ key: string; id: string }> {
  const key = keys[nth % keys.length] as string;
  const prompt = `A lake. @sim ${JSON.stringify({ render_ms: clip.renderMs, bytes: clip.bytes })}`;
  const body = { model: 'sim/filmstrip', prompt, duration: 4, resolution: '480p' };
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  for (let tries = 1; ; tries++) {
    const answer = await call(base, key, '/videos', init);
    const { id } = jsonOf<Shown>(answer) ?? {};
    if (answer.status === 202 && id !== undefined) return { key, id };
    if (!AGAIN.has(answer.status) || tries === SUBMIT_TRIES_MAX)
      throw new Error(`a video was answered ${answer.status}`);
    await pause(POLL_MS);
  }
}

async function completed({ base }: Stage, { key, id }: { key: string; id: string }): Promise<void> {
  for (;;) {
    const job = jsonOf<Shown>(await call(base, key, `/videos/${id}`));
    if (job?.status === 'completed') return;
    if (job !== null && job.status !== 'pending' && job.status !== 'in_progress')
      throw new Error(`a video ended ${job.status} ${JSON.stringify(job.error)}`);
    await pause(POLL_MS);
  }
}

async function renderAll(stage: Stage, clip: Clip): Promise<void> {
  const jobs = await Promise.all(Array.from({ length: RENDERS }, (_, nth) => submit(stage, nth, clip)));
  await Promise.all(jobs.map((job) => completed(stage, job)));
}

async function manyRenders(stage: Stage): Promise<readonly Figure[]> {
  for (let round = 0; round < SMALL_ROUNDS; round++)
    await renderAll(stage, { renderMs: RENDER_MS, bytes: SMALL_BYTES });
  const before = rssOf(stage.pid);
  let highest = before;
  const reading = setInterval(() => {
    highest = Math.max(highest, rssOf(stage.pid));
  }, READ_MS);
  const from = performance.now();
  await renderAll(stage, { renderMs: RENDER_MS, bytes: CLIP_BYTES });
  const ms = performance.now() - from;
  clearInterval(reading);
  const perSecond = (RENDERS * CLIP_BYTES) / MIB / ((ms - RENDER_MS) / 1_000);
  return [
    {
      ...{ name: `${RENDERS} renders of 20 MiB at once, growth of the process`, unit: 'MiB', baseline: null },
      ours: (highest - before) / MIB,
      goal: { atMost: GROWN_MIB_MAX, of: 'value' },
      note: `from ${Math.round(before / MIB)} MiB; ${Math.round(perSecond)} MiB/s after the renders`,
    },
  ];
}

/**
 * The p99 of whole answers at a fixed rate, without downloads of 20 MiB and beside one after the other: at the speed of a
 * wire, as from another machine, and as fast as this machine copies bytes. The same downloads from a bare process tell what
 * the machine costs and not the node. Rounds alternate.
 */
async function liveBeside(stage: Stage, seconds: number, rounds: number): Promise<readonly Figure[]> {
  const { load, port, keys } = stage;
  const key = keys[0] as string;
  const target = { port, path: '/api/v1/chat/completions', headers: { authorization: `Bearer ${key}` } };
  const p99 = async (): Promise<number> =>
    (await load.run({ ...LIVE, ...target, body: CHAT, seconds: Math.max(seconds, LIVE_SECONDS_MIN) })).latencyMs.p99;
  const without: number[] = [];
  const job = await submit(stage, 0, { renderMs: 0, bytes: CLIP_BYTES });
  await completed(stage, job);
  const ours = { port, path: `/api/v1/videos/${job.id}/content`, headers: { authorization: `Bearer ${job.key}` } };
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  writeFileSync(join(folder, 'list.json'), Buffer.alloc(CLIP_BYTES));
  const files = await listening('./bare-static.ts', [folder]);
  const bare = { port: files.port, path: '/' };
  const sides = [
    { from: ours, name: 'at 1 Gbit/s', perSecond: WIRE_BYTES_PER_SECOND },
    { from: ours, name: 'at any speed', perSecond: null },
    { from: bare, name: 'at 1 Gbit/s from a bare process', perSecond: WIRE_BYTES_PER_SECOND },
    { from: bare, name: 'at any speed from a bare process', perSecond: null },
  ].map((side) => ({ ...side, beside: [] as number[], speeds: [] as number[] }));
  try {
    await p99();
    for (let round = 0; round < rounds; round++) {
      without.push(await p99());
      for (const { from, perSecond, beside, speeds } of sides) {
        let over = false;
        const downloading = (async () => {
          while (!over) {
            speeds.push(await download(from, perSecond));
            await pause(REST_MS);
          }
        })();
        beside.push(await p99());
        over = true;
        await downloading;
      }
    }
  } finally {
    await files.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return sides.map(({ name, beside, speeds }) => ({
    name: `whole answer beside downloads of 20 MiB ${name}, ${LIVE.perSecond} requests/s, p99`,
    unit: 'ms',
    ours: median(beside),
    baseline: median(without),
    goal: { atMost: P99_RATIO_MAX, of: 'ratio' },
    note: `${speeds.length} downloads, ${Math.round(median(speeds))} MiB/s each`,
  }));
}

/** Reads a clip to its end, no faster than a wire where its speed is given, without keeping it; MiB per second. */
function download(from: RequestOptions, perSecond: number | null): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(from, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const earlyMs = perSecond === null ? 0 : (bytes * 1_000) / perSecond - (performance.now() - began);
        if (earlyMs < 1) return;
        answer.pause();
        setTimeout(() => answer.resume(), earlyMs);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode !== 200 || bytes < CLIP_BYTES) reject(new Error(`${answer.statusCode}, ${bytes} bytes`));
        else resolve(bytes / MIB / ((performance.now() - began) / 1_000));
      });
    });
    request.on('error', reject);
  });
}
