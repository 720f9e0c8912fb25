import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type Cluster, type CommittedStep, systemClock } from '../../../../actors/runtime/index.ts';
import { feedRoute } from '../../../../gateway/operator/http/feed.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port, SESSIONS, TOKEN, until } from '../port.ts';

const it = bounded(test);

interface Message {
  readonly cursor: number;
  readonly type: string;
  readonly version?: number;
  readonly dropped?: number | null;
  readonly moves?: unknown;
  readonly event?: unknown;
  readonly alarm?: unknown;
}

let port: Port;
let WATCHED: Cluster;
const watchers = new Map<string, Set<(step: CommittedStep) => void>>();

test.before(async () => {
  port = await openPort([feedRoute(systemClock)]);
  const watch = (pattern: string, see: (step: CommittedStep) => void): (() => void) => {
    if (pattern === 'full') throw new Error('too many watchers');
    const sees = watchers.get(pattern) ?? new Set();
    watchers.set(pattern, sees.add(see));
    return () => {
      sees.delete(see);
      if (sees.size === 0) watchers.delete(pattern);
    };
  };
  WATCHED = clusterOf({ operator: { watch } });
  port.cluster = WATCHED;
});
test.after(() => port.close());

function step(pattern: string, version: number): void {
  const one = { address: 'batch:a/b', version, at: 1, event: 'line.done', from: 'a', to: 'b', epoch: 1, node: 'n1' };
  for (const see of watchers.get(pattern) ?? []) see(one);
}

class Client {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  frames = 0;
  closed: number | null = null;

  constructor(headers: Readonly<Record<string, string>> = { authorization: `Bearer ${TOKEN}` }) {
    this.socket = new WebSocket(`${port.url.replace('http', 'ws')}/api/feed`, { headers });
    this.socket.on('message', (data) => {
      this.frames++;
      this.messages.push(...(JSON.parse(String(data)) as readonly Message[]));
    });
    this.socket.on('close', (code) => {
      this.closed = code;
    });
    this.socket.on('error', () => {});
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  async watching(pattern: string): Promise<void> {
    await until(() => this.socket.readyState === WebSocket.OPEN);
    this.say({ watch: [pattern] });
    await until(() => watchers.has(pattern));
  }

  async ends(): Promise<void> {
    this.socket.close();
    await until(() => watchers.size === 0);
  }
}

it('a client receives the steps that it watches, each once, and nothing is watched before and after it', async () => {
  const client = new Client();
  await until(() => client.socket.readyState === WebSocket.OPEN);
  assert.is(watchers.size, 0);
  client.say({ watch: ['batch:*', '*'] });
  await until(() => watchers.size === 2);
  step('batch:*', 1);
  step('*', 1);
  step('batch:*', 2);
  await until(() => client.messages.length === 2);
  assert.equal(
    client.messages.map(({ cursor, type, version }) => [cursor, type, version]),
    [
      [1, 'step', 1],
      [2, 'step', 2],
    ],
  );
  client.say({ watch: [] });
  await until(() => watchers.size === 0);
  await client.ends();
});

it('a client that acknowledges nothing gets 256 messages, and later the newest steps and how many it missed', async () => {
  const client = new Client();
  await client.watching('*');
  for (let version = 1; version <= 2_000; version++) step('*', version);
  await until(() => client.messages.length === 256);
  assert.is(client.frames, 2, 'the first step at once, the others together');
  // A step behind it would have arrived by now, as the answer to a wrong frame does.
  client.say('{');
  await until(() => client.messages.length > 256);
  assert.is(client.messages[256]?.type, 'error');

  client.say({ ack: 257 });
  await until(() => client.messages.length === 257 + 256);
  const [gap, next] = client.messages.slice(257);
  assert.equal([gap?.type, gap?.dropped], ['gap', 2_000 - 256 - 1_024]);
  assert.is(next?.version, 2_000 - 1_024 + 1);
  for (let acknowledged = 257 + 256; client.messages.at(-1)?.version !== 2_000; acknowledged = client.messages.length) {
    client.say({ ack: acknowledged });
    await until(() => client.messages.length > acknowledged);
  }
  const versions = client.messages.slice(258).map(({ version }) => version as number);
  assert.equal(
    versions,
    Array.from({ length: 1_024 }, (_, at) => 977 + at),
  );
  assert.equal(
    client.messages.map(({ cursor }) => cursor),
    client.messages.map((_, at) => at + 1),
  );
  await client.ends();
});

it('a client cannot acknowledge what it did not receive, and one that comes back learns of a gap', async () => {
  const client = new Client();
  await client.watching('*');
  client.say({ ack: 1_000_000, from: 7 });
  await until(() => client.messages.length === 1);
  assert.equal([client.messages[0]?.type, client.messages[0]?.dropped], ['gap', null]);
  for (let version = 1; version <= 1_000; version++) step('*', version);
  client.say('{');
  await until(() => client.messages.at(-1)?.type === 'error');
  assert.is(client.messages.length, 257);
  await client.ends();
});

it('nodes, moved shards, events and alarms are told as they change, and nothing is followed before and after', async () => {
  const members = [{ name: 'n1', incarnation: 'i1', state: 'up', live: true, shards: 2, beatAt: 5 }];
  const epochs = [1, 1];
  const stored = { events: [{ n: 1, at: 1, type: 'joined', moves: null as unknown }], alarms: ['{"name":"a"}'] };
  const notices = { members: null as (() => void) | null, log: null as (() => void) | null };
  const watchOf = (name: keyof typeof notices) => (see: () => void) => {
    notices[name] = see;
    return () => {
      notices[name] = null;
    };
  };
  const operator = {
    members: () => members,
    shards: () => epochs.map((epoch, shard) => ({ shard, owner: 'i1', epoch })),
    watchMembers: watchOf('members'),
    events: async () => [...stored.events].reverse(),
  };
  const changes = { watch: (_: string, see: () => void) => watchOf('log')(see) };
  const rows = { rows: async () => [...stored.alarms].reverse().map((body) => ({ body })) };
  port.cluster = clusterOf({ operator, changes, rows });
  const client = new Client();
  await until(() => client.socket.readyState === WebSocket.OPEN);
  assert.equal(notices, { members: null, log: null });
  client.say({ about: ['nodes', 'events'] });
  await until(() => client.messages.length === 1);
  assert.equal(client.messages[0], { cursor: 1, type: 'nodes', at: 1_000, nodes: members });
  // The first read is the state from which events are told.
  await new Promise((resolve) => setImmediate(resolve));

  epochs[1] = 2;
  stored.events[0] = { n: 1, at: 2, type: 'claimed', moves: [[1, 2]] };
  stored.events.push({ n: 2, at: 3, type: 'died', moves: null });
  notices.members?.();
  await until(() => client.messages.length === 5);
  assert.equal(
    client.messages.slice(2).map(({ type, moves, event }) => [type, moves ?? event]),
    [
      ['shards', [{ shard: 1, epoch: 2, node: 'n1' }]],
      ['event', { n: 1, at: 2, type: 'claimed', shards: 1 }],
      ['event', { n: 2, at: 3, type: 'died', shards: null }],
    ],
  );
  stored.alarms.push('{"name":"b"}');
  notices.log?.();
  await until(() => client.messages.length === 6);
  assert.equal([client.messages[5]?.type, client.messages[5]?.alarm], ['alarm', { name: 'b' }]);
  client.socket.close();
  await until(() => notices.members === null && notices.log === null);
  port.cluster = WATCHED;
});

it('wrong frames are answered, too many end the feed, and so do too many watchers', async () => {
  const client = new Client();
  await until(() => client.socket.readyState === WebSocket.OPEN);
  for (const frame of ['x', '[]', '{"watch":"a"}', '{"ack":-1}']) client.say(frame);
  await until(() => client.messages.length === 4);
  for (let at = 0; at < 20; at++) client.say('x');
  await until(() => client.closed === 1008);
  const full = new Client();
  await until(() => full.socket.readyState === WebSocket.OPEN);
  full.say({ watch: ['a', 'full'] });
  await until(() => full.closed === 1013);
  assert.is(watchers.size, 0);
});

it('a client changes what it watches a few times, and not without end', async () => {
  const client = new Client();
  await client.watching('a*');
  for (let n = 1; n < 16; n++) client.say({ watch: n % 2 === 0 ? [] : [`b${n}`] });
  await until(() => watchers.has('b15'));
  assert.equal([...watchers.keys()], ['b15']);
  client.say({ watch: ['c'] });
  await until(() => client.closed !== null);
  assert.equal([client.closed, watchers.size], [1008, 0]);
});

it('a feed needs a credential, and by cookie a page of its own origin (rule E32)', async () => {
  const cookie = SESSIONS.open('viewer', 'x', false).split(';')[0] as string;
  const refused = [{}, { authorization: 'Bearer x' }, { cookie, origin: 'http://evil.example' }];
  for (const headers of refused) {
    const client = new Client(headers);
    await until(() => client.closed !== null);
    assert.is(client.closed, 1006);
  }
  const own = new Client({ cookie, origin: port.url });
  await own.watching('*');
  await own.ends();
  assert.match(await answerTo(port, 'GET', '/api/feed'), /^426 /);
});

test.run();
