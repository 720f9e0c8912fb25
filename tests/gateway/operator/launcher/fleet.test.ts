import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, type NodeRestarts, systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { Fleet } from '../../../../gateway/operator/launcher/fleet.ts';
import type { JournalEntry } from '../../../../gateway/operator/launcher/journal.ts';
import { EXIT_NOT_JOINED, EXIT_REJOIN } from '../../../../gateway/operator/launcher/message.ts';
import { openPublicPort, refuseConnection } from '../../../../gateway/operator/launcher/public-port.ts';
import { bounded } from '../../../support/bounded.ts';
import { buildFirst } from '../../../support/cluster/build-first.ts';
import { paced } from '../../../support/pace.ts';
import { ManualClock } from '../../outbound/manual-clock.ts';

const it = bounded(test);
await buildFirst();
const ENTRY = fileURLToPath(new URL('./fake-node.mjs', import.meta.url));

interface Strike {
  readonly signal: string;
  readonly point: string;
}

interface Running {
  readonly fleet: Fleet;
  readonly folder: string;
  readonly port: number;
  readonly journal: JournalEntry[];
  readonly faults: string[];
  readonly waits: string[];
  readonly restarts: string[];
  signalled(): boolean;
  until(met: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A node that gets no processor time is neither silent nor slow to acknowledge. */
function patience(): Partial<typeof config.launcher> {
  const { silentMs, stoppedKillMs, silentKillMs, handoffAckMs } = config.launcher;
  return {
    silentMs: paced(silentMs),
    stoppedKillMs: paced(stoppedKillMs),
    silentKillMs: paced(silentKillMs),
    handoffAckMs: paced(handoffAckMs),
  };
}

async function start(
  options: {
    nodes?: number;
    strike?: Strike;
    waitMs?: number;
    launcher?: Partial<typeof config.launcher>;
    clock?: Clock;
  } = {},
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-fleet-'));
  const mark = join(folder, 'signalled');
  const journal: JournalEntry[] = [];
  const faults: string[] = [];
  const waits: string[] = [];
  const restarts: string[] = [];
  const refuse = (socket: Parameters<typeof refuseConnection>[0]) =>
    refuseConnection(socket, { clock: systemClock, random: systemRandom, limits: config.edge });
  const fleet = new Fleet({
    starts: Array.from({ length: options.nodes ?? 3 }, (_, i) => ({
      name: `n${i + 1}`,
      entry: ENTRY,
      args: [
        `n${i + 1}`,
        ...(options.strike && i === 0 ? [options.strike.signal, options.strike.point, '1', mark] : []),
      ],
      logFile: join(folder, `n${i + 1}.log`),
    })),
    limits: { ...config.launcher, ...patience(), ...options.launcher },
    waitMs: options.waitMs ?? paced(10_000),
    clock: options.clock ?? systemClock,
    journal: (entry) => journal.push(entry),
    refuse,
    changed: () => {},
    waits: (name, what) => waits.push(`${name} ${what}`),
    faulted: (name, reason) => faults.push(`${name}: ${reason}`),
    restarts: (name, reason) => restarts.push(`${name}: ${reason}`),
  });
  const door = await openPublicPort({ host: '127.0.0.1', port: 0 }, (socket) => fleet.accept(socket));
  fleet.start();
  const until = async (met: () => boolean): Promise<void> => {
    while (!met()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  return {
    fleet,
    folder,
    port: door.port,
    journal,
    faults,
    waits,
    restarts,
    until,
    signalled: () => existsSync(mark),
    close: async () => {
      door.close();
      await fleet.stop(paced(3_000));
      rmSync(folder, { recursive: true });
    },
  };
}

interface Reply {
  readonly name: string;
  readonly pid: number;
  readonly bytes: number;
  readonly deaths: readonly { readonly incarnation: string; readonly cause: string }[];
  readonly restarts: readonly NodeRestarts[];
}

function call(
  port: number,
  options: { path?: string; headers?: Record<string, string>; agent?: Agent } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { path = '/', headers = {}, agent = false } = options;
    const sent = request({ port, host: '127.0.0.1', path, headers, method: 'POST', agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(JSON.parse(text) as Reply) : reject(new Error(`${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end('x'.repeat(1_000));
  });
}

it('every remaining node, and every later life, receives whether a node crashed or was killed, and the restarts', async () => {
  const cluster = await start();
  await cluster.until(() => cluster.fleet.running().length === 3);
  const [first, second] = cluster.fleet.running();
  process.kill(first?.pid ?? 0, 'SIGKILL');
  await cluster.until(() => cluster.journal.some(({ event }) => event === 'node.end'));
  await cluster.until(() => cluster.fleet.running().length === 3);
  process.kill(second?.pid ?? 0, 'SIGABRT');
  await cluster.until(() => cluster.journal.filter(({ event }) => event === 'node.end').length === 2);
  await cluster.until(() => cluster.fleet.running().length === 3);
  const expected = [
    { incarnation: first?.incarnation, cause: 'killed' },
    { incarnation: second?.incarnation, cause: 'crashed' },
  ];
  const reported = new Map<string, Reply>();
  while (reported.size < 3) {
    const reply = await call(cluster.port);
    reported.set(reply.name, reply);
  }
  for (const { deaths, restarts } of reported.values()) {
    assert.equal(deaths, expected);
    assert.equal(
      restarts.map(({ name, total, times, lastEnd }) => [name, total, times.length, lastEnd?.reason]),
      [
        ['n1', 1, 1, 'ended by SIGKILL'],
        ['n2', 1, 1, 'ended by SIGABRT'],
        ['n3', 0, 0, undefined],
      ],
    );
  }
  assert.equal(cluster.restarts, ['n1: ended by SIGKILL', 'n2: ended by SIGABRT']);
  await cluster.close();
});

it('connections go to the nodes in turn, each answered whole', async () => {
  const cluster = await start();
  await cluster.until(() => cluster.fleet.running().length === 3);
  const counts = new Map<string, number>();
  for (let i = 0; i < 30; i++) {
    const reply = await call(cluster.port);
    assert.is(reply.bytes, 1_000);
    counts.set(reply.name, (counts.get(reply.name) ?? 0) + 1);
  }
  assert.equal([...counts.values()], [10, 10, 10]);
  assert.is(cluster.fleet.pending, 0);
  await cluster.close();
});

for (const signal of ['SIGKILL', 'SIGSTOP']) {
  for (const point of ['received-offer', 'sent-ack', 'received-go']) {
    it(`${signal} of a node at ${point}: every connection is answered by another node`, async () => {
      const cluster = await start({ strike: { signal, point } });
      await cluster.until(() => cluster.fleet.running().length === 3);
      const replies = await Promise.all(Array.from({ length: 30 }, () => call(cluster.port)));
      assert.is(replies.length, 30);
      assert.ok(replies.every((reply) => reply.bytes === 1_000));
      assert.ok(cluster.signalled(), 'the fault took effect');
      await cluster.until(() => cluster.journal.some((entry) => entry.event === 'node.end'));
      const end = cluster.journal.find((entry) => entry.event === 'node.end');
      assert.match(
        String(end?.reason),
        signal === 'SIGKILL' ? /ended by SIGKILL/ : /killed by the launcher: stopped for [1-9]\d{3,} ms/,
      );
      await cluster.until(() => cluster.fleet.running().length === 3);
      assert.is(cluster.fleet.pending, 0);
      await cluster.close();
    });
  }

  it(`${signal} of a node that has just taken a connection breaks that one only, and leaves no other unanswered`, async () => {
    const cluster = await start({ strike: { signal, point: 'before-read' } });
    await cluster.until(() => cluster.fleet.running().length === 3);
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => call(cluster.port)));
    assert.ok(cluster.signalled(), 'the fault took effect');
    assert.is(results.filter((result) => result.status === 'rejected').length, 1);
    await cluster.close();
  });
}

it('a node that was stopped and continued before the verdict drops connections that went to another node', async () => {
  const cluster = await start({ strike: { signal: 'SIGSTOP', point: 'received-offer' } });
  await cluster.until(() => cluster.fleet.running().length === 3);
  const pid = cluster.fleet.running()[0]?.pid ?? 0;
  const calls = Promise.all(Array.from({ length: 9 }, () => call(cluster.port)));
  await cluster.until(() => cluster.signalled());
  const replies = await calls;
  process.kill(pid, 'SIGCONT');
  assert.ok(replies.every((reply) => reply.bytes === 1_000));
  // Back in the rotation with the same process: its late acknowledgement was received and refused.
  while ((await call(cluster.port)).pid !== pid) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.is(cluster.fleet.pending, 0);
  assert.is(cluster.journal.filter((entry) => entry.event === 'node.end').length, 0);
  await cluster.close();
});

it('a node whose event loop is blocked leaves the rotation and is not killed for it', async () => {
  const cluster = await start({ launcher: { silentKillMs: 60_000 } });
  const file = join(cluster.folder, 'block');
  await cluster.until(() => cluster.fleet.running().length === 3);
  let ended = false;
  const blocked = call(cluster.port, { path: '/block-until', headers: { 'x-file': file } }).finally(() => {
    ended = true;
  });
  // Connections that the node took before it blocked would wait for it.
  await cluster.until(() => existsSync(`${file}.begun`));
  await Promise.all(Array.from({ length: 12 }, () => call(cluster.port)));
  assert.not(ended, 'no request waited for the blocked node');
  writeFileSync(`${file}.end`, '');
  await blocked;
  assert.is(cluster.journal.filter((entry) => entry.event === 'node.end').length, 0);
  await cluster.close();
});

it('a silent node is killed at once if another one reports the store busy for too long', async () => {
  const cluster = await start({ nodes: 2 });
  await cluster.until(() => cluster.fleet.running().length === 2);
  const busy = await call(cluster.port, { path: '/busy', headers: { 'x-ms': '2000' } });
  let blocked: Reply | Error = busy;
  while (!(blocked instanceof Error)) {
    // Connections go in turn, so the other node gets this request eventually, and is killed before it answers.
    blocked = await call(cluster.port, {
      path: '/block',
      headers: { 'x-ms': String(paced(4_000)), 'x-not': busy.name },
    }).catch((error: Error) => error);
  }
  await cluster.until(() => cluster.journal.some((entry) => entry.event === 'node.end'));
  const end = cluster.journal.find((entry) => entry.event === 'node.end');
  assert.match(String(end?.reason), /silent for \d+ ms while the store was busy for 2000 ms/);
  assert.is.not(end?.node, busy.name);
  await cluster.close();
});

it('a killed node is restarted, and its idle connections end with it', async () => {
  const cluster = await start();
  await cluster.until(() => cluster.fleet.running().length === 3);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = await call(cluster.port, { agent, headers: { connection: 'keep-alive' } });
  const again = await call(cluster.port, { agent, headers: { connection: 'keep-alive' } });
  assert.is(again.pid, before.pid);
  process.kill(before.pid, 'SIGKILL');
  await cluster.until(() => cluster.journal.some((entry) => entry.event === 'node.end'));
  const next = await call(cluster.port);
  assert.ok(next.pid !== before.pid);
  await cluster.until(() => cluster.fleet.running().length === 3);
  agent.destroy();
  await cluster.close();
});

it('a node that asks to rejoin is restarted without delay, a failing one with a growing delay', async () => {
  const cluster = await start({ nodes: 1 });
  await cluster.until(() => cluster.fleet.running().length === 1);
  for (const code of ['75', '1', '1']) {
    await call(cluster.port, { path: '/exit', headers: { 'x-code': code } }).catch(() => {});
    await cluster.until(() => cluster.fleet.running().length === 0);
    await cluster.until(() => cluster.fleet.running().length === 1);
  }
  const delays = cluster.journal.filter((entry) => entry.event === 'node.end').map((entry) => entry.restartInMs);
  assert.equal(delays, [0, config.launcher.restartDelayMs, config.launcher.restartDelayMs * 2]);
  await cluster.close();
});

it('a node that was cut off before it served starts again at once, and its start has not failed (rule N43)', async () => {
  const cluster = await start({ strike: { signal: String(EXIT_REJOIN), point: 'before-up' } });
  await cluster.until(() => cluster.fleet.running().length === 3);
  const ends = cluster.journal.filter(({ event }) => event === 'node.end');
  assert.equal(
    ends.map(({ node, restartInMs }) => ({ node, restartInMs })),
    [{ node: 'n1', restartInMs: 0 }],
  );
  assert.equal(cluster.faults, []);
  assert.equal(cluster.restarts, ['n1: asked to rejoin with a new incarnation']);
  await cluster.close();
});

it('a node that did not join starts again after as long as it tried, and its start has failed', async () => {
  const cluster = await start({ strike: { signal: String(EXIT_NOT_JOINED), point: 'before-up' } });
  await cluster.until(() => cluster.fleet.running().length === 3);
  const [end] = cluster.journal.filter(({ event }) => event === 'node.end');
  assert.is(end?.restartInMs, Math.max(Number(end?.livedMs), config.launcher.restartDelayMs));
  assert.equal(cluster.faults, ['n1: did not join the others']);
  assert.equal(cluster.restarts, []);
  await cluster.close();
});

it('connections wait for a node to come up, and are answered 503 if none does in time', async () => {
  const waiting = await start({ nodes: 1 });
  const early = await call(waiting.port);
  assert.is(early.bytes, 1_000);
  await waiting.close();
  // Without a node to start: one that is late might come up in time on a slow machine.
  const never = await start({ nodes: 0, waitMs: 100 });
  const status = await call(never.port).catch((error: Error) => error.message);
  assert.is(status, '503');
  await never.close();
});

it('a client that closes its sending side after the request is still answered', async () => {
  const cluster = await start({ nodes: 1 });
  await cluster.until(() => cluster.fleet.running().length === 1);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect({ port: cluster.port, host: '127.0.0.1', allowHalfOpen: true });
    let all = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      all += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(all));
    socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc');
  });
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.match(text, /"bytes":3/);
  await cluster.close();
});

it('a node that reports what its drain waits for is not killed; one that stopped reporting is', async () => {
  const clock = new ManualClock();
  // No verdict of the watchdog.
  const launcher = { silentMs: 1e9, stoppedKillMs: 1e9, silentKillMs: 1e9 };
  const cluster = await start({ nodes: 1, clock, launcher });
  await cluster.until(() => cluster.fleet.running().length === 1);
  const { pid } = await call(cluster.port, { path: '/patient' });
  const stopped = cluster.fleet.stop(1_000);
  for (let at = 0; at < 20; at++) {
    const reported = cluster.waits.length;
    await cluster.until(() => cluster.waits.length > reported);
    clock.advance(5_000);
  }
  assert.is(cluster.waits[0], 'n1 waits for a render');
  assert.is(cluster.journal.filter(({ event }) => event === 'node.end').length, 0);
  process.kill(pid, 'SIGSTOP');
  const ended = (): boolean => cluster.journal.some(({ event }) => event === 'node.end');
  await cluster.until(() => {
    clock.advance(1_000);
    return ended();
  });
  await stopped;
  const end = cluster.journal.find(({ event }) => event === 'node.end');
  assert.match(String(end?.reason), /killed by the launcher: still running \d+ ms after the drain began/);
  await cluster.close();
});

test.run();
