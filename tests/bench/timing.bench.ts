import { Agent, request } from 'node:http';
import { changeKey } from '../../actors/key/key.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { TESTER } from '../support/tester.ts';
import { type Figure, median } from './figure.ts';

const SAMPLES = 2_000;
const WARM_UP = 200;
const MANY = 1e9;
/** Below this probability two sets of times count as different. (rule K5) */
const P_MIN = 0.01;
const BODY = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });

/**
 * Whether the time of a 401 distinguishes a dead key from an unknown one: tries with keys of every kind alternate on
 * one connection, and the Kolmogorov-Smirnov test compares the times of each kind with those of an unknown key.
 */
export async function benchTiming(): Promise<readonly Figure[]> {
  const rates = { keyPerMinute: MANY, addressPerMinute: MANY, endpointPerMinute: MANY };
  const cluster = await startCluster({ rates });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const [revoked, disabled, expired] = await Promise.all([
      cluster.fund('1'),
      cluster.fund('1'),
      cluster.fund('1', { expiresAt: 1 }),
    ]);
    const node = cluster.nodes[0] as (typeof cluster.nodes)[number];
    await changeKey(node.cluster, revoked.keyAddress, 'revoke', 5_000, TESTER);
    await changeKey(node.cluster, disabled.keyAddress, 'disable', 5_000, TESTER);
    const unknown = (digit: string): string => `sk-gw-v1-${digit.repeat(64)}`;
    const keys: Readonly<Record<string, string>> = {
      unknown: unknown('0'),
      'another unknown': unknown('1'),
      malformed: unknown('0').slice(0, -1).concat('g'),
      revoked: revoked.key,
      disabled: disabled.key,
      expired: expired.key,
    };
    const base = cluster.baseUrls[0] as string;
    const times = await sample(keys, (key) => timed(base, agent, key));
    const reference = times.unknown as readonly number[];
    return Object.entries(times)
      .filter(([kind]) => kind !== 'unknown')
      .map(([kind, taken]) => figureOf(kind, taken, reference));
  } finally {
    agent.destroy();
    await cluster.close();
  }
}

function figureOf(kind: string, taken: readonly number[], reference: readonly number[]): Figure {
  return {
    name: `401 of a key that is ${kind}, distinguished from an unknown one by its time`,
    unit: 'p of KS',
    ours: likeness(taken, reference),
    baseline: null,
    goal: { atLeast: P_MIN, of: 'value' },
    note: `medians ${median(taken).toFixed(3)} and ${median(reference).toFixed(3)} ms, ${taken.length} tries each`,
  };
}

/** Times in ms by kind. Each round tries every kind once, in a random order. */
async function sample(
  keys: Readonly<Record<string, string>>,
  attempt: (key: string) => Promise<number>,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const kinds = Object.keys(keys);
  const times: Record<string, number[]> = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let round = -WARM_UP; round < SAMPLES; round++) {
    for (const kind of shuffled(kinds)) {
      const ms = await attempt(keys[kind] as string);
      if (round >= 0) times[kind]?.push(ms);
    }
  }
  return times;
}

/** A random order: in a fixed order each kind would always follow the same other kind. */
function shuffled(kinds: readonly string[]): readonly string[] {
  return kinds
    .map((kind) => [Math.random(), kind] as const)
    .sort(([a], [b]) => a - b)
    .map(([, kind]) => kind);
}

function timed(base: string, agent: Agent, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
    };
    const startedAt = performance.now();
    const sent = request(`${base}/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
      const ms = performance.now() - startedAt;
      if (answer.statusCode !== 401) reject(new Error(`answered ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(ms));
    });
    sent.on('error', reject);
    sent.end(BODY);
  });
}

/** Probability that two sets of one distribution are as far apart as these: the asymptotic form, for large sets. */
function likeness(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((values) => [...values].sort((x, y) => x - y)) as [number[], number[]];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const at = Math.min(a[i] as number, b[j] as number);
    while (i < a.length && (a[i] as number) <= at) i++;
    while (j < b.length && (b[j] as number) <= at) j++;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  const lambda = (root + 0.12 + 0.11 / root) * distance;
  if (lambda < 0.2) return 1;
  let p = 0;
  for (let k = 1; k <= 100; k++) p += 2 * (-1) ** (k - 1) * Math.exp(-2 * k * k * lambda * lambda);
  return Math.min(1, Math.max(0, p));
}
