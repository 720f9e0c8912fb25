/**
 * One node as a process of its own, for tests: SQLite, or PostgreSQL where the database is a URL, and gRPC, the tally kind, steered by lines on its standard
 * input, answering by lines of JSON. `node --import tsx node-process.ts NAME DATABASE`.
 */
import { createInterface } from 'node:readline';
import { openPostgresStore } from '../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { systemRandom } from '../../actors/runtime/system/random.ts';
import config from '../../cluster.config.ts';
import { senderKind } from '../actors/example-kinds/sender.ts';
import { startBareNode } from '../support/cluster/bare-node.ts';
import { WIDE } from '../support/wide.ts';
import { tally } from './tally.ts';

const [name = 'n1', path = ''] = process.argv.slice(2);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const common = { shards: config.runtime.shards, clock: systemClock, random: systemRandom };
const store = path.startsWith('postgres://')
  ? await openPostgresStore({ ...common, url: path, bounds: config.store.postgres, applicationName: name })
  : await openSqliteStore({
      ...common,
      path,
      busyBoundMs: 5_000,
      // As in the gateway: a failed store ends the process.
      onFatal: (error) => {
        say({ fatal: error.message });
        process.exit(70);
      },
    });
const node = await startBareNode({
  name,
  kinds: [tally, senderKind],
  activities: {
    // Reports its start, takes a while, and returns the name of its node.
    work: {
      ...WIDE,
      run: async ({ input, attempt }) => {
        say({ begun: attempt });
        await new Promise<void>((resolve) => setTimeout(resolve, Number(input)));
        return name;
      },
    },
  },
  store,
  log: (record) => {
    if (record.message !== 'first commit after adoption') say({ log: { t: Date.now() % 1e6, ...record } });
  },
  onDead: (why) => {
    say({ dead: why });
    process.exit(3);
  },
  onDrain: () => void leave(),
});

process.on('SIGTERM', () => void leave());

async function leave(): Promise<void> {
  await node.leave();
  await store.close();
  process.exit(0);
}

const watch = setInterval(() => {
  if (!node.ready) return;
  clearInterval(watch);
  say({ ready: node.self });
}, 5);

/** Asks back to back, `lanes` at a time, for `ms`; returns the number of asks per outcome. */
async function load({ lanes, ms, type, addresses }: Load): Promise<object> {
  const until = performance.now() + ms;
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  let next = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const to = addresses[next++ % addresses.length] as string;
      const at = performance.now();
      try {
        await node.ask(to, { type, by: 1 }, { withinMs: 5_000 });
        latencies.push(performance.now() - at);
      } catch (error) {
        const text = String(error).replace(/tally:\S+/, '');
        failures[text] = (failures[text] ?? 0) + 1;
      }
    }
  };
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - began) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMicros = Math.round(((user + system) / latencies.length) * 10) / 10;
  return {
    answered: latencies.length,
    perSecond: Math.round(latencies.length / seconds),
    cpuMicros,
    p50: at(0.5),
    p99: at(0.99),
    failures,
  };
}

interface Load {
  readonly lanes: number;
  readonly ms: number;
  readonly type: string;
  readonly addresses: readonly string[];
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as { readonly id: number; readonly do: string } & Record<string, unknown>;
  const answer = (body: object): void => say({ id: command.id, ...body });
  switch (command.do) {
    case 'owned':
      answer({ owned: (command.of as string[]).filter((address) => node.owns(address)) });
      break;
    case 'connected':
      answer({ connected: node.connected });
      break;
    case 'ask':
      node.ask(command.to as string, command.event as { type: string }, { withinMs: command.withinMs as number }).then(
        (body) => answer({ body }),
        (error: Error) => answer({ error: error.message }),
      );
      break;
    case 'load':
      void load(command as unknown as Load).then(answer);
      break;
    case 'memory':
      answer({ rss: process.memoryUsage.rss() });
      break;
    case 'leave':
      void leave();
      break;
  }
}
