/** What an open feed costs the requests whose steps it tells: the same load in turn, watched and with nobody looking. */
import { WebSocket } from 'ws';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { cpuSeconds, LoadProcess, listening } from './child.ts';
import { storedKey } from './copies.ts';
import { type Figure, median } from './figure.ts';
import { stocked } from './growth.bench.ts';
import type { Load } from './load.ts';
import type { Settings } from './settings.ts';

/** Each has a key: twice as many actors are watched, and all of them step. */
const ACCOUNTS = 1_000;
const PATTERNS = ['account:*', 'key:*'];
const IN_FLIGHT = 64;
const WARM_SECONDS = 8;
const MICRO = 1e6;
const LOST_MAX = 0.02;
/** As the console does. */
const ACKNOWLEDGED_EVERY = 32;
const BODY = JSON.stringify({
  model: 'sim/fast',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Which river?' }],
});

export async function benchWatch({ rounds, seconds }: Settings): Promise<readonly Figure[]> {
  const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
  const load = new LoadProcess();
  let cluster: LaunchedCluster | null = null;
  try {
    cluster = await stocked(simulator, ACCOUNTS + 1);
    const [alone, watched]: [Round[], Round[]] = [[], []];
    const told: number[] = [];
    await measure(load, cluster, WARM_SECONDS);
    for (let round = 0; round < rounds; round++) {
      alone.push(await measure(load, cluster, seconds));
      const feed = await Feed.open(cluster);
      watched.push(await measure(load, cluster, seconds));
      const { steps, dropped } = feed.close();
      if (steps === 0) throw new Error('the feed told no step');
      told.push(steps / (steps + dropped));
    }
    const of = (all: readonly Round[], member: keyof Round): number => median(all.map((one) => one[member]));
    const note = `${2 * ACCOUNTS} actors watched; ${Math.round(median(told) * 100)} % of their steps told`;
    return [
      {
        name: 'CPU of a completion beside a feed that watches its actors',
        unit: 'us',
        ours: of(watched, 'us'),
        baseline: of(alone, 'us'),
        goal: { atMost: 1 + LOST_MAX, of: 'ratio' },
        note,
      },
      {
        name: 'completions beside a feed that watches their actors',
        unit: 'requests/s',
        ours: of(watched, 'perSecond'),
        baseline: of(alone, 'perSecond'),
        goal: { atLeast: 1 - LOST_MAX, of: 'ratio' },
        note,
      },
    ];
  } finally {
    await load.stop();
    await cluster?.stop();
    await simulator.stop();
  }
}

interface Round {
  readonly us: number;
  readonly perSecond: number;
}

async function measure(load: LoadProcess, cluster: LaunchedCluster, seconds: number): Promise<Round> {
  const pid = cluster.connection()?.nodes[0]?.pid ?? 0;
  const keys = Array.from({ length: ACCOUNTS }, (_, n) => storedKey(n + 1));
  const before = cpuSeconds(pid);
  const requests: Load = {
    ...{ port: cluster.port, path: '/api/v1/chat/completions', headers: {}, body: BODY },
    ...{ inFlight: IN_FLIGHT, seconds, keys },
  };
  const { answered, failures } = await load.run(requests);
  if (Object.keys(failures).length > 0) throw new Error(`failures ${JSON.stringify(failures)}`);
  return { us: ((cpuSeconds(pid) - before) / answered) * MICRO, perSecond: answered / seconds };
}

interface Message {
  readonly cursor: number;
  readonly type: string;
  readonly dropped?: number | null;
}

/** A client that takes what it is told and does nothing with it. */
class Feed {
  readonly #socket: WebSocket;
  #steps = 0;
  #dropped = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    let unacknowledged = 0;
    socket.on('message', (data: Buffer) => {
      const messages = JSON.parse(data.toString()) as readonly Message[];
      for (const { type, dropped } of messages) {
        if (type === 'step') this.#steps++;
        else this.#dropped += dropped ?? 0;
      }
      unacknowledged += messages.length;
      if (unacknowledged < ACKNOWLEDGED_EVERY) return;
      unacknowledged = 0;
      socket.send(JSON.stringify({ ack: messages.at(-1)?.cursor }));
    });
  }

  static async open(cluster: LaunchedCluster): Promise<Feed> {
    const { operator_url = '', operator_token = '' } = cluster.connection() ?? {};
    const headers = { authorization: `Bearer ${operator_token}` };
    const socket = new WebSocket(`${operator_url.replace('http', 'ws')}/api/feed`, { headers });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send(JSON.stringify({ watch: PATTERNS }));
    return new Feed(socket);
  }

  close(): { readonly steps: number; readonly dropped: number } {
    this.#socket.terminate();
    return { steps: this.#steps, dropped: this.#dropped };
  }
}
