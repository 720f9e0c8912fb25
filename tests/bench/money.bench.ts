/** The money of one request within one engine on the memory store: admit and settle, without disk, network or HTTP. */
import { createAccount, creditDeposit, settle } from '../../actors/account/account.ts';
import { admit, createKey } from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import type { Cluster, Kind } from '../../actors/runtime/index.ts';
import { openStage } from '../actors/runtime/durable/stage.ts';
import { TESTER } from '../support/tester.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';

const IN_FLIGHT = 64;
/** The minimum load of one account, which uses one core. */
const GOAL = { atLeast: 5_000, of: 'value' } as const;

/** Rounds of each side, in turn, so that both meet the same machine. */
const ROUNDS = 6;
/** CPU time of a whole completion with 64 in flight (docs/figures.md), of which the activity may take this share. */
const COMPLETION_US = 328;
const ACTIVITY_SHARE_MAX = 0.03;

/** Admits with their settles per second, one hot key and account, 64 in flight: the ceiling of one account. */
export async function benchMoney({ seconds }: Settings): Promise<readonly Figure[]> {
  const { perSecond, cpuUs } = await measure(seconds * 1_000, kinds);
  const note = `${Math.round(cpuUs)} us of CPU each, garbage included`;
  return [
    {
      name: 'admit and settle, one engine, one account',
      unit: 'pairs/s',
      ours: perSecond,
      baseline: null,
      goal: GOAL,
      note,
    },
    await activityCost(seconds * 1_000),
  ];
}

/** What the day's row of a key costs each settle: the same pairs with and without it, in turn, by CPU time. */
async function activityCost(ms: number): Promise<Figure> {
  const bare = kinds.map((kind) => (kind.name === 'key' ? withoutActivity(kind) : kind));
  const sides: { readonly ours: number[]; readonly bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    sides.bare.push((await measure(ms / ROUNDS, bare)).cpuUs);
    sides.ours.push((await measure(ms / ROUNDS, kinds)).cpuUs);
  }
  const [ours, plain] = [Math.min(...sides.ours), Math.min(...sides.bare)];
  const share = ((ours - plain) / COMPLETION_US) * 100;
  return {
    name: 'activity row per settle',
    unit: 'us of CPU',
    ours: ours - plain,
    baseline: null,
    goal: { atMost: COMPLETION_US * ACTIVITY_SHARE_MAX, of: 'value' },
    note: `${ours.toFixed(1)} us with it, ${plain.toFixed(1)} us without; ${share.toFixed(1)} % of a completion of ${COMPLETION_US} us`,
  };
}

/** The kind of keys as if charges brought no part of the activity. */
function withoutActivity(kind: Kind): Kind {
  const { machine } = kind;
  const bare = (event: { readonly type: string }): never =>
    (event.type === 'spend.record' ? { ...event, part: undefined } : event) as never;
  const transition = (before: never, event: { readonly type: string }, scope: never) =>
    machine.transition(before, bare(event), scope);
  return {
    ...kind,
    machine: Object.create(machine, { transition: { value: transition } }),
    rows: (event) => kind.rows?.(bare(event)) ?? [],
  };
}

async function measure(
  ms: number,
  measured: readonly Kind[],
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const stage = await openStage({ kinds: measured });
  const cluster = {
    ask: (to: string, event: never) => stage.body(to, event),
    now: () => Date.now(),
  } as unknown as Cluster;
  await createAccount(cluster, 'account:acct_b', 'b', 5_000);
  await creditDeposit(cluster, 'account:acct_b', { id: 'dep_1', amount: '100000000', by: TESTER }, 5_000);
  const key = { digest: 'd'.repeat(64), handle: 'd'.repeat(64), name: 'k', label: 'l', kind: 'inference' } as const;
  const unbounded = { limit: null, limitWindow: null, expiresAt: null, perMinute: null };
  await createKey(cluster, 'key:acct_b/key_1', { ...key, ...unbounded, by: TESTER }, 5_000);
  let n = 0;
  const one = async (): Promise<void> => {
    const generation = `gen-1795228966-${String(++n).padStart(20, '0')}`;
    const admission = await admit(
      cluster,
      'key:acct_b/key_1',
      {
        generation,
        attempt: 1,
        amount: '0.00012345',
        gateway: 'g1',
        deadlineAt: Date.now() + 660_000,
        model: 'sim/fast',
        endpoint: 'ep_1',
        provider: 'Sim A',
        tariff: 't1',
        streamed: false,
        appTitle: null,
        appUrl: null,
        user: null,
        sessionId: null,
        metadata: null,
        repeat: false,
      },
      { perMinute: 1e9, withinMs: 5_000 },
    );
    if (!admission.admitted) throw new Error(JSON.stringify(admission));
    await settle(
      cluster,
      'account:acct_b',
      {
        generation,
        attempt: 1,
        cost: '0.0000305',
        unpriced: [],
        promptTokens: 6,
        completionTokens: 16,
        cachedTokens: null,
        reasoningTokens: null,
        estimated: false,
        finishReason: 'stop',
        nativeFinishReason: 'stop',
        upstreamId: 'x',
        cancelled: false,
        latencyMs: 1.5,
        generationMs: 2.5,
        attempts: [{ endpoint: 'ep_1', provider: 'Sim A', status: 200, outcome: 'served', latencyMs: 1.2 }],
      },
      5_000,
    );
  };
  const run = async (until: number): Promise<void> => {
    while (performance.now() < until) await one();
  };
  const lanes = (until: number) => Promise.all(Array.from({ length: IN_FLIGHT }, () => run(until)));
  await lanes(performance.now() + ms / 2);
  const [before, cpu, start] = [n, process.cpuUsage(), performance.now()];
  await lanes(start + ms);
  const used = process.cpuUsage(cpu);
  const done = n - before;
  const seconds = (performance.now() - start) / 1_000;
  await stage.close();
  return { perSecond: done / seconds, cpuUs: (used.user + used.system) / done };
}
