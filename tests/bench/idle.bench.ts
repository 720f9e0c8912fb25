import { listening } from './child.ts';
import type { Figure } from './figure.ts';
import { Measured } from './measured.ts';
import { openStreams, type StreamTarget } from './open-streams.ts';
import { rssOf } from './rss-of.ts';

const STREAMS = 2_000;
/** Opened and closed before the measurement, so that one-time allocations exist. */
const WARM = 200;
/** A few words, then a pause longer than the measurement. */
const IDLE = { tokens: 8, hang: 'midstream' };
const SETTLE_MS = 1_500;
const KIB = 1_024;
const KIB_MAX = 150;

/** Memory of one idle open stream, with two thousand of them: ours, and the bare proxy's. */
export async function benchIdle(): Promise<readonly Figure[]> {
  const node = await Measured.start();
  const bare = await listening('./bare-sse-proxy.ts', [`http://127.0.0.1:${node.simulatorPort}`]);
  try {
    const path = '/api/v1/chat/completions';
    const ours: StreamTarget = { port: node.port, path, lines: [`Authorization: Bearer ${node.key}`] };
    const theirs: StreamTarget = { port: bare.port, path: '/v1/chat/completions', lines: [] };
    const live = await weigh(ours, async () => node.ask('weigh'));
    const whole = await weigh(theirs, async () => ({ live: 0, rss: rssOf(bare.pid) }));
    return [
      {
        name: `an idle stream, each of ${STREAMS.toLocaleString('en-US')}, whole process`,
        unit: 'KiB',
        ours: live.rss / STREAMS / KIB,
        baseline: whole.rss / STREAMS / KIB,
        goal: { atMost: KIB_MAX, of: 'value' },
        note: `${(live.live / STREAMS / KIB).toFixed(1)} KiB of them live after a collection`,
      },
    ];
  } finally {
    await bare.stop();
    await node.stop();
  }
}

interface Weight {
  readonly live: number;
  readonly rss: number;
}

async function weigh(target: StreamTarget, ask: () => Promise<Weight>): Promise<Weight> {
  for (const socket of await openStreams(target, WARM, IDLE)) socket.destroy();
  await settled();
  const before = await ask();
  const sockets = await openStreams(target, STREAMS, IDLE);
  await settled();
  const after = await ask();
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { live: after.live - before.live, rss: after.rss - before.rss };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}
