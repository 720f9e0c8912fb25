/** The money of one request within one engine on the memory store: admit and settle, without disk, network or HTTP. */
import { createAccount, creditDeposit, settle } from '../../actors/account/account.ts';
import { admit, createKey } from '../../actors/key/key.ts';
import { kinds } from '../../actors/kinds.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import { openStage } from '../actors/runtime/durable/stage.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';

const IN_FLIGHT = 64;
/** The minimum load of one account, which uses one core. */
const GOAL = { atLeast: 5_000, of: 'value' } as const;

/** Admits with their settles per second, one hot key and account, 64 in flight: the ceiling of one account. */
export async function benchMoney({ seconds }: Settings): Promise<readonly Figure[]> {
  const { perSecond, cpuUs } = await measure(seconds * 1_000);
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
  ];
}

async function measure(ms: number): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const stage = await openStage({ kinds });
  const cluster = {
    ask: (to: string, event: never) => stage.body(to, event),
    now: () => Date.now(),
  } as unknown as Cluster;
  await createAccount(cluster, 'account:acct_b', 'b', 5_000);
  await creditDeposit(cluster, 'account:acct_b', { id: 'dep_1', amount: '100000000' }, 5_000);
  const key = { digest: 'd'.repeat(64), name: 'k', label: 'l', kind: 'inference' } as const;
  const unbounded = { limit: null, limitWindow: null, expiresAt: null, perMinute: null };
  await createKey(cluster, 'key:acct_b/key_1', { ...key, ...unbounded }, 5_000);
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
