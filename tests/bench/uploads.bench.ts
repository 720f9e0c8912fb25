import { connect } from 'node:net';
import { type Figure, median } from './figure.ts';
import { Measured } from './measured.ts';
import { rssOf } from './rss-of.ts';
import type { Settings } from './settings.ts';
import { type Side, Sides } from './sides.ts';

/**
 * Accepting a file of 32 MiB: how long it takes, how long the event loop stalls meanwhile, how much the process grows,
 * and what live requests beside it pay. Each round is a new process, because memory that a first upload leaves behind
 * would hide the growth of the next.
 */
const FILE_BYTES = 32 * 1024 * 1024;
const MIB = 1024 * 1024;
/** Uploaded before the measurement, so that code is compiled and connections exist. */
const WARM_BYTES = 128 * 1024;
const WARM_UPLOADS = 20;
const ACCEPT_MS_MAX = 1_000;
const STALL_MS_MAX = 100;
const GROWN_MIB_MAX = 4;
/** Interval between two readings of the process's memory. */
const READ_MS = 2;
const P99_RATIO_MAX = 1.2;
/** A live load that one node serves with ease. */
const LIVE = { inFlight: 32, perSecond: 300 } as const;
const BODY = JSON.stringify({
  model: 'sim/fast',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Hello' }],
});
/** An account that uploads one file after the other, with a pause as a person makes it. */
const REST_MS = 1_000;

export async function benchUploads({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const alone: Alone[] = [];
  for (let round = 0; round < rounds; round++) alone.push(await uploadAlone(seconds));
  const value = (name: string, unit: string, ours: number, atMost: number): Figure => ({
    ...{ name: `upload of 32 MiB, ${name}`, unit, ours, baseline: null },
    goal: { atMost, of: 'value' },
  });
  const grown = median(alone.map(({ grownBytes }) => grownBytes));
  return [
    value('accepted within', 'ms', median(alone.map(({ ms }) => ms)), ACCEPT_MS_MAX),
    value('longest stall', 'ms', await longestStall(rounds), STALL_MS_MAX),
    value('growth of the process', 'MiB', grown / MIB, GROWN_MIB_MAX),
    await liveBeside(seconds, rounds),
  ];
}

interface Alone {
  readonly ms: number;
  readonly grownBytes: number;
}

/** On a node that has served for a while: its young generation has its full size. */
async function uploadAlone(seconds: number): Promise<Alone> {
  const sides = await Sides.start('./bare-proxy.ts');
  const { pid, target } = sides.ours;
  try {
    await sides.load.run({ ...target, body: BODY, inFlight: LIVE.inFlight, seconds });
    await warm(target);
    const before = rssOf(pid);
    let highest = before;
    const reading = setInterval(() => {
      highest = Math.max(highest, rssOf(pid));
    }, READ_MS);
    const ms = await upload(target, FILE_BYTES);
    clearInterval(reading);
    return { ms, grownBytes: Math.max(highest, rssOf(pid)) - before };
  } finally {
    await sides.stop();
  }
}

async function longestStall(uploads: number): Promise<number> {
  const node = await Measured.start();
  const target = { port: node.port, headers: { authorization: `Bearer ${node.key}` } };
  try {
    await warm(target);
    await node.ask('stalls');
    for (let each = 0; each < uploads; each++) await upload(target, FILE_BYTES);
    return (await node.ask('stalls')).maxMs;
  } finally {
    await node.stop();
  }
}

/** The p99 of whole answers at a fixed rate, with and without uploads; rounds alternate. */
async function liveBeside(seconds: number, rounds: number): Promise<Figure> {
  const sides = await Sides.start('./bare-proxy.ts');
  const { target } = sides.ours;
  const beside: number[] = [];
  const without: number[] = [];
  let uploads = 0;
  const p99 = async (): Promise<number> =>
    (await sides.load.run({ ...LIVE, ...target, body: BODY, seconds })).latencyMs.p99;
  try {
    await warm(target);
    await p99();
    for (let round = 0; round < rounds; round++) {
      without.push(await p99());
      let over = false;
      const uploading = (async () => {
        for (; !over; uploads++) {
          await upload(target, FILE_BYTES);
          await new Promise((resolve) => setTimeout(resolve, REST_MS));
        }
      })();
      beside.push(await p99());
      over = true;
      await uploading;
    }
  } finally {
    await sides.stop();
  }
  return {
    name: `whole answer beside uploads of 32 MiB, ${LIVE.perSecond} requests/s, p99`,
    unit: 'ms',
    ours: median(beside),
    baseline: median(without),
    goal: { atMost: P99_RATIO_MAX, of: 'ratio' },
    note: `${uploads} uploads`,
  };
}

type Target = Pick<Side['target'], 'port' | 'headers'>;

async function warm(target: Target): Promise<void> {
  for (let each = 0; each < WARM_UPLOADS; each++) await upload(target, WARM_BYTES);
}

/** Uploads one file over a connection of its own; returns the ms from its first byte to the answer. */
function upload({ port, headers }: Target, bytes: number): Promise<number> {
  const boundary = 'bench-boundary';
  const open = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(open), Buffer.alloc(bytes, 1), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const head = `POST /api/v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let answer = '';
    const beganAt = performance.now();
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head);
      socket.write(body);
    });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (answer.startsWith('HTTP/1.1 200')) resolve(performance.now() - beganAt);
      else reject(new Error(`an upload was answered ${answer.slice(0, 400)}`));
    });
  });
}
