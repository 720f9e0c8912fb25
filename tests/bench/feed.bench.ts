import type { Socket } from 'node:net';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';
import { openStream } from './open-streams.ts';

const IDLE = 2_000;
const FOLLOWERS = 1_000;
/** Opened and closed before the measurement, so that one-time allocations exist. */
const WARM = 200;
const AT_ONCE = 50;
const CHANGES = 20;
const SETTLE_MS = 1_500;
const CHANGE_WITHIN_MS = 20_000;
const KIB = 1_024;

/** Streams of `GET /events`: memory of an idle one, and how long a change takes to reach a thousand. */
export async function benchFeed(): Promise<readonly Figure[]> {
  const node = await Measured.start();
  try {
    return [await idleStreams(node, 'stream'), await idleStreams(node, 'WebSocket'), await changes(node)];
  } finally {
    await node.stop();
  }
}

async function idleStreams(node: Measured, kind: Kind): Promise<Figure> {
  for (const socket of await follow(node, WARM, kind)) leave(socket);
  await settled();
  const before = await node.ask('weigh');
  const sockets = await follow(node, IDLE, kind);
  await settled();
  const after = await node.ask('weigh');
  for (const socket of sockets) leave(socket);
  await settled();
  return {
    name: `an idle ${kind} of events, each of ${IDLE.toLocaleString('en-US')}, whole process`,
    unit: 'KiB',
    ours: (after.rss - before.rss) / IDLE / KIB,
    baseline: null,
    goal: { atMost: 40, of: 'value' },
    note: `${((after.live - before.live) / IDLE / KIB).toFixed(1)} KiB of them live after a collection`,
  };
}

/** Times from a commit, as its node noticed it, to its event at every stream, whose clients share one process. */
async function changes(node: Measured): Promise<Figure> {
  const sockets = await follow(node, FOLLOWERS);
  const took: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const seen = Promise.all(sockets.map((socket) => nextEvent(socket, 'file.stored')));
    await upload(node);
    const times = await seen;
    const committedAt = (await node.ask('committed')) as number;
    took.push(...times.map((at) => at - committedAt));
  }
  for (const socket of sockets) leave(socket);
  const sorted = took.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] as number;
  return {
    name: `a change to ${FOLLOWERS.toLocaleString('en-US')} streams of events, p99 from its commit`,
    unit: 'ms',
    ours: at(0.99),
    baseline: null,
    goal: { atMost: 100, of: 'value' },
    note: `p50 ${at(0.5).toFixed(0)} ms`,
  };
}

type Kind = 'stream' | 'WebSocket';

const UPGRADE = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`;

async function follow({ port, key }: Measured, count: number, kind: Kind = 'stream'): Promise<readonly Socket[]> {
  const lines = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n${kind === 'stream' ? '' : UPGRADE}`;
  const request = `GET /api/v1/events HTTP/1.1\r\n${lines}\r\n`;
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const first = kind === 'stream' ? undefined : { status: 101, frame: '"feed.opened"' };
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, () => openStream(port, request, first));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

function leave(socket: Socket): void {
  socket.removeAllListeners('close').destroy();
}

/** When a socket receives the next event of this type, wall ms with fractions. */
function nextEvent(socket: Socket, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${type} within ${CHANGE_WITHIN_MS} ms`)), CHANGE_WITHIN_MS);
    const read = (text: string): void => {
      if (!text.includes(`event: ${type}`)) return;
      clearTimeout(late);
      socket.off('data', read);
      resolve(performance.timeOrigin + performance.now());
    };
    socket.on('data', read);
  });
}

async function upload({ port, key }: Measured): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob(['a change']), 'a.txt');
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (answer.status !== 200) throw new Error(`an upload was answered ${answer.status}: ${await answer.text()}`);
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}
