import type { Socket } from 'node:net';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';
import { openStream, requestOf } from './open-streams.ts';
import type { Settings } from './settings.ts';

const CLIENTS = 48;
const WARM_SHARE = 0.25;
const SAMPLES = 24;
const MINUTE_MS = 60_000;
const KIB = 1_024;
/** Below what the generation records and the ledger's sums of so many accounts would explain, over an hour 4 MiB. */
const KIB_PER_MINUTE_MAX = 64;

interface Point {
  readonly minute: number;
  readonly kib: number;
}

/** Clients that leave in the middle of their streams, for minutes: does what is live after a collection grow? */
export async function benchSoak({ minutes }: Settings): Promise<readonly Figure[]> {
  const node = await Measured.start();
  const clients = new Clients(node);
  try {
    clients.start();
    await pause(minutes * MINUTE_MS * WARM_SHARE);
    const points: Point[] = [];
    const beganAt = performance.now();
    for (let sample = 0; sample <= SAMPLES; sample++) {
      const dueAt = beganAt + (sample / SAMPLES) * minutes * MINUTE_MS;
      await pause(Math.max(0, dueAt - performance.now()));
      const { live } = await node.ask('weigh');
      points.push({ minute: (performance.now() - beganAt) / MINUTE_MS, kib: live / KIB });
    }
    const left = await clients.stop();
    await pause(SETTLE_MS);
    const { live } = await node.ask('weigh');
    const first = points[0] as Point;
    const [low, high] = [Math.min(...points.map(({ kib }) => kib)), Math.max(...points.map(({ kib }) => kib))];
    return [
      {
        name: `live heap over ${minutes} min of ${CLIENTS} leaving clients, slope`,
        unit: 'KiB/min',
        ours: slope(points),
        baseline: null,
        goal: { atMost: KIB_PER_MINUTE_MAX, of: 'value' },
        note: `${left} streams left; ${mib(low)} to ${mib(high)} MiB, first ${mib(first.kib)}, quiet ${mib(live / KIB)}`,
      },
    ];
  } finally {
    await clients.stop();
    await node.stop();
  }
}

const SETTLE_MS = 2_000;

class Clients {
  readonly #node: Measured;
  #running = false;
  #left = 0;
  #loops: readonly Promise<void>[] = [];

  constructor(node: Measured) {
    this.#node = node;
  }

  start(): void {
    this.#running = true;
    this.#loops = Array.from({ length: CLIENTS }, (_, at) => this.#loop(at));
  }

  async stop(): Promise<number> {
    this.#running = false;
    await Promise.all(this.#loops);
    return this.#left;
  }

  /** Streams that end by themselves are among them: both ways out have to leave nothing behind. */
  async #loop(at: number): Promise<void> {
    const target = {
      port: this.#node.port,
      path: '/api/v1/chat/completions',
      lines: [`Authorization: Bearer ${this.#node.key}`],
    };
    const request = requestOf(target, { tokens: 20, tps: 100 });
    for (let turn = at; this.#running; turn++) {
      const socket: Socket = await openStream(target.port, request);
      await pause((turn * 37) % 260);
      socket.removeAllListeners('close').destroy();
      this.#left++;
    }
  }
}

/** Least squares. */
function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number): number => points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ kib }) => kib)];
  const over = points.reduce((sum, { minute, kib }) => sum + (minute - x) * (kib - y), 0);
  return over / points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}

function mib(kib: number): string {
  return (kib / KIB).toFixed(1);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
