import { Lane, type LaneResult } from './lane.ts';
import { type Percentiles, percentiles } from './percentiles.ts';

/**
 * The load generator, a separate process: receives the requests, the duration and the concurrency over IPC and answers
 * with counts and percentiles. Closed loop at a fixed number in flight; with `perSecond`, open loop at that rate, and a
 * request that had to wait for a free lane counts its waiting.
 */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly inFlight: number;
  readonly seconds: number;
  readonly perSecond?: number;
  /** API keys, assigned to the lanes in turn; absent: those in `headers`. */
  readonly keys?: readonly string[];
  /** Whether the result lists each answer of 200; for loads of few requests. */
  readonly listed?: boolean;
}

/** One answer of 200: when its request was sent, wall ms with fractions, and how long it took. */
export interface Served {
  readonly at: number;
  readonly ms: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly answered: number;
  /** Answers other than 200, by status; 0 for a broken connection. */
  readonly failures: Readonly<Record<string, number>>;
  readonly frames: number;
  /** Of answers other than 200, from sending them: what the generator was late is not the server's. */
  readonly refusedMs: Percentiles;
  /** From sending a request to its answer of 200. */
  readonly servedMs: Percentiles;
  /** From when a request was due to when the generator sent it. */
  readonly lateMs: Percentiles;
  readonly latencyMs: Percentiles;
  readonly firstMs: Percentiles;
  /** Empty unless requested. */
  readonly served: readonly Served[];
}

class Tally {
  answered = 0;
  frames = 0;
  readonly failures: Record<string, number> = {};
  readonly #refusals: number[] = [];
  readonly #latencies: number[] = [];
  readonly #firsts: number[] = [];
  readonly #served: number[] = [];
  readonly #late: number[] = [];
  readonly #listed: Served[] | null;

  constructor({ listed = false }: Load) {
    this.#listed = listed ? [] : null;
  }

  add(result: LaneResult | null): void {
    if (result !== null) this.#late.push(result.sentAt - result.beganAt);
    if (result === null || result.status !== 200) {
      const status = String(result?.status ?? 0);
      this.failures[status] = (this.failures[status] ?? 0) + 1;
      if (result !== null) this.#refusals.push(result.endedAt - result.sentAt);
      return;
    }
    this.answered++;
    this.frames += result.frames;
    this.#latencies.push(result.endedAt - result.beganAt);
    this.#served.push(result.endedAt - result.sentAt);
    this.#firsts.push(result.firstAt - result.beganAt);
    this.#listed?.push({ at: performance.timeOrigin + result.sentAt, ms: result.endedAt - result.sentAt });
  }

  result(seconds: number): LoadResult {
    return {
      seconds,
      answered: this.answered,
      failures: this.failures,
      frames: this.frames,
      refusedMs: percentiles(this.#refusals),
      servedMs: percentiles(this.#served),
      lateMs: percentiles(this.#late),
      latencyMs: percentiles(this.#latencies),
      firstMs: percentiles(this.#firsts),
      served: this.#listed ?? [],
    };
  }
}

async function closedLoop(load: Load, lanes: readonly Lane[], tally: Tally): Promise<number> {
  const beganAt = performance.now();
  const endAt = beganAt + load.seconds * 1_000;
  const repeat = async (lane: Lane): Promise<void> => {
    while (performance.now() < endAt) tally.add(await lane.run());
  };
  await Promise.all(lanes.map(repeat));
  return (performance.now() - beganAt) / 1_000;
}

async function openLoop(load: Load & { perSecond: number }, lanes: readonly Lane[], tally: Tally): Promise<number> {
  const idle = [...lanes];
  const beganAt = performance.now();
  const total = Math.floor(load.seconds * load.perSecond);
  const running = new Set<Promise<void>>();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - beganAt) / 1_000) * load.perSecond) + 1);
    while (sent < due && idle.length > 0) {
      const lane = idle.pop() as Lane;
      const task = lane.run(beganAt + (sent / load.perSecond) * 1_000).then((result) => {
        tally.add(result);
        idle.push(lane);
        running.delete(task);
      });
      running.add(task);
      sent++;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return (performance.now() - beganAt) / 1_000;
}

async function run(load: Load): Promise<LoadResult> {
  const requests = (load.keys ?? [null]).map((key) => requestBytes(load, key));
  const request = (lane: number): Buffer => requests[lane % requests.length] as Buffer;
  const lanes = Array.from({ length: load.inFlight }, (_, lane) => new Lane(load.port, request(lane)));
  // Connections are open and have served once before the clock starts, to measure a steady state.
  await Promise.all(lanes.map((lane) => lane.run()));
  const tally = new Tally(load);
  const { perSecond } = load;
  const seconds =
    perSecond === undefined
      ? await closedLoop(load, lanes, tally)
      : await openLoop({ ...load, perSecond }, lanes, tally);
  for (const lane of lanes) lane.close();
  return tally.result(seconds);
}

function requestBytes(load: Load, key: string | null): Buffer {
  const headers = key === null ? load.headers : { ...load.headers, authorization: `Bearer ${key}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(load.body);
  return Buffer.from(
    `POST ${load.path} HTTP/1.1\r\nhost: 127.0.0.1:${load.port}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${lines.join('')}\r\n${load.body}`,
  );
}

if (process.send) {
  process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
  process.on('disconnect', () => process.exit(0));
}
