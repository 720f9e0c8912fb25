import type { Socket } from 'node:net';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';
import { openStream, requestOf } from './open-streams.ts';
import type { Settings } from './settings.ts';

const CLIENTS = 48;
/**
 * Streams before the first measurement: until then the heap grows by compiled code. Measured with heap snapshots: of
 * 1.0 MiB more between 3,000 and 20,000 streams, all was code, its tables and the loader's source
 * maps; from 14,000 on the heap stayed level.
 */
const WARM_STREAMS = 15_000;
const WARM_POLL_MS = 250;
const SAMPLES = 24;
const MINUTE_MS = 60_000;
const KIB = 1_024;
/** Less than the growth by generation records and ledger sums of that many accounts, which is 4 MiB per hour. */
const KIB_PER_MINUTE_MAX = 64;

/**
 * Clients that leave in the middle of their streams, for minutes: does live memory after a collection grow? Measured
 * before and after, without clients: memory of open streams is not a leak, and it varies with the load of the machine.
 */
export async function benchSoak({ minutes }: Settings): Promise<readonly Figure[]> {
  const node = await Measured.start();
  const clients = new Clients(node);
  const atRest = async (): Promise<number> => {
    await clients.stop();
    await pause(SETTLE_MS);
    return (await node.ask('weigh')).live / KIB;
  };
  try {
    clients.start();
    while (clients.left < WARM_STREAMS) await pause(WARM_POLL_MS);
    const before = await atRest();
    clients.start();
    const busy: number[] = [];
    const beganAt = performance.now();
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const dueAt = beganAt + (sample / SAMPLES) * minutes * MINUTE_MS;
      await pause(Math.max(0, dueAt - performance.now()));
      busy.push((await node.ask('weigh')).live / KIB);
    }
    const after = await atRest();
    return [
      {
        name: `live heap over ${minutes} min of ${CLIENTS} leaving clients`,
        unit: 'KiB/min',
        ours: (after - before) / minutes,
        baseline: null,
        goal: { atMost: KIB_PER_MINUTE_MAX, of: 'value' },
        note: `${clients.left} streams left; at rest ${mib(before)}, then ${mib(after)} MiB, under way ${mib(Math.min(...busy))} to ${mib(Math.max(...busy))}`,
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
  left = 0;
  #running = false;
  #loops: readonly Promise<void>[] = [];

  constructor(node: Measured) {
    this.#node = node;
  }

  start(): void {
    this.#running = true;
    this.#loops = Array.from({ length: CLIENTS }, (_, at) => this.#loop(at));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  /** Includes streams that end normally: neither way of ending may leak. */
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
      this.left++;
    }
  }
}

function mib(kib: number): string {
  return (kib / KIB).toFixed(1);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
