/** What is repeated while nodes die: requests under their keys, and payments. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PaidIn } from '../../actors/account/deposits.ts';
import { AuditVerifier } from '../../actors/audit/audit-entry.ts';
import type { PaymentRecord } from '../../actors/payment/payment-state.ts';
import config from '../../cluster.config.ts';
import { join } from '../support/auditor/joined.ts';
import { paymentsCreditOnce } from '../support/auditor/payments.ts';
import { bounded } from '../support/bounded.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { limit } from '../support/pace.ts';
import { railOf } from '../support/x402.ts';
import { deposit, openAccounts } from './bank.ts';
import { type CrashPoints, PAYMENT_POINTS } from './crash-points.ts';
import { isAlive, until } from './nemesis.ts';
import { PaymentWork } from './payment-work.ts';
import { onStage, type Stage } from './stage.ts';
import type { Payer } from './workload.ts';

const it = bounded(test, 240_000);
const ACCOUNTS = 6;
const STREAMS = 18;
/** Clients that repeat one broken request at the same time. */
const REPEATS = 3;
const REPEAT_MS = 90_000;
const PAUSE_MS = 200;
const DIRECTIVE = { tokens: 40, tps: 5 };
/** Clients that present the first payment at once, and each of the others. */
const FIRST_REPEATS = 100;
const OTHER_REPEATS = 10;
/** A node must start again before one dies at the last point. */
const REACHED_MS = 120_000;
/** The providers of sim/slow. */
const PROVIDERS = ['sim-a', 'sim-b'];
const NODES = config.nodes.map(({ name }) => name);
const FIRST_POINTS = PAYMENT_POINTS.slice(0, 3);
const LAST_POINT = 'payment.credited';
const BACK_MS = 120_000;

/** Every node begins with a crash point of its own; one of their next processes dies at the last one. */
function armFirst(crashPoints: CrashPoints): void {
  for (const [at, name] of NODES.entries()) crashPoints.arm(name, FIRST_POINTS[at] as string, 1);
}

let stage: Stage;
let close = (): void => {};
let closed: Promise<unknown>;

test.before(async () => {
  await buildFirst();
  await new Promise<void>((opened, failed) => {
    const options = { name: 'repeats', store: 'sqlite', providers: PROVIDERS, isPaid: true, before: armFirst } as const;
    closed = onStage(options, (made) => {
      stage = made;
      made.crashPoints.armOneOf(NODES, LAST_POINT);
      opened();
      return new Promise<void>((end) => (close = end));
    });
    closed.catch(failed);
  });
});
test.after(async () => {
  close();
  await closed;
});

interface Ended {
  readonly status: number;
  readonly text: string;
  /** Of a whole answer; null for one that broke off. */
  readonly cost: number | null;
}

it('payments of nodes killed at every crash point are credited once, each presented by many clients at once', async () => {
  const { cluster, view, facilitator, crashPoints } = stage;
  const payers = await openAccounts(cluster, 1, '1');
  const [payer] = payers as [Payer];
  const work = new PaymentWork({
    ...{ base: cluster.baseUrl, payers, chance: () => 0 },
    deposit: (made) => deposit(cluster, made),
  });
  const first = cluster.connection()?.nodes.map(({ pid }) => pid) ?? [];
  assert.is(first.length, NODES.length);
  const everyPointReached = (): boolean => !first.some(isAlive) && crashPoints.isReached(LAST_POINT);
  const leftMs = limit(REACHED_MS);
  await work.pay(payer, { repeats: FIRST_REPEATS, fault: null });
  while (!everyPointReached()) {
    assert.ok(leftMs() > 0, 'every crash point is reached');
    await work.pay(payer, { repeats: OTHER_REPEATS, fault: null });
  }
  await allNodesUp(cluster);

  const settled = facilitator?.settled ?? [];
  assert.is(settled.length, work.presented.length);
  const { entries } = await view.dump();
  const evidence = {
    ...{ presented: work.presented, settled, decimals: railOf('').assetDecimals },
    deposits: await view.rows<PaidIn & { readonly address: string }>('deposit'),
    payments: await view.rows<PaymentRecord>('payment'),
  };
  const ledger = { entries, accounts: [], generations: [], actors: [], openings: [], chainFaults: [] };
  const check = paymentsCreditOnce(evidence, join({ ...NOTHING, ledger }));
  assert.equal(check.violations, []);
  assert.ok(check.examined > 4 * work.presented.length);
  const sum = work.presented.reduce((total, { amount }) => total + Number(amount), 1);
  assert.is(await creditsOf(cluster, payer.key), sum);
  for (const { account, entries: log, head } of await view.auditLogs()) {
    const verifier = new AuditVerifier(account);
    verifier.add(log);
    assert.ok(verifier.end(head).sound, account);
  }
});

async function allNodesUp(cluster: LaunchedCluster): Promise<void> {
  const areUp = (): boolean => cluster.connection()?.nodes.filter(({ pid }) => isAlive(pid)).length === NODES.length;
  assert.ok(await until(areUp, BACK_MS, PAUSE_MS), 'all nodes serve again');
}

const NOTHING = {
  ...{ history: [], calls: [], samples: [], credits: [], deposits: [] },
  ...{ prices: {}, slugs: {}, clockSlackMs: 0 },
};

it('requests of a killed node are repeated under their keys: each is served whole once and charged once', async () => {
  const { cluster } = stage;
  await allNodesUp(cluster);
  const payers = await openAccounts(cluster, ACCOUNTS, '100');
  const requests = Array.from({ length: STREAMS }, (_, n) => ({
    payer: payers[n % ACCOUNTS] as (typeof payers)[0],
    key: `request-${n}`,
  }));
  const begun: Promise<void>[] = [];
  const streams = requests.map(({ payer, key }) => {
    let begin = (): void => {};
    begun.push(new Promise((resolve) => (begin = resolve)));
    return ask(cluster, payer.key, key, begin);
  });
  await Promise.all(begun);
  const victim = cluster.connection()?.nodes[1];
  assert.ok(victim);
  process.kill(victim.pid, 'SIGKILL');
  const first = await Promise.all(streams);
  assert.ok(
    first.some(({ cost }) => cost === null),
    'the node served some of the streams',
  );

  const costs = new Map(payers.map(({ account }) => [account, 0]));
  await Promise.all(
    requests.map(async ({ payer, key }, n) => {
      const whole = first[n]?.cost ?? null;
      const repeated = await Promise.all(
        Array.from({ length: REPEATS }, () => repeatWhileRunning(cluster, payer.key, key)),
      );
      const served = repeated.filter(({ cost }) => cost !== null);
      assert.is(served.length, whole === null ? 1 : 0, `${key}: ${repeated.map(({ status }) => status).join(' ')}`);
      for (const { status, text } of repeated.filter((each) => each.cost === null)) {
        assert.is(status, 409, key);
        assert.match(text, /"generation_status":"settled"/);
      }
      const cost = whole ?? (served[0]?.cost as number);
      costs.set(payer.account, (costs.get(payer.account) as number) + cost);
    }),
  );
  for (const { account, key } of payers) {
    assert.is((await usageOf(cluster, key)).toFixed(12), costs.get(account)?.toFixed(12), account);
  }
});

/** Repeats a request until it no longer runs elsewhere, and no node is out of reach. */
async function repeatWhileRunning(cluster: LaunchedCluster, apiKey: string, key: string): Promise<Ended> {
  const leftMs = limit(REPEAT_MS);
  for (;;) {
    const ended = await ask(cluster, apiKey, key).catch(() => null);
    const isOver = ended !== null && ended.status !== 503 && !ended.text.includes('"generation_status":"running"');
    if (isOver) return ended;
    if (leftMs() === 0) throw new Error(`${key} still runs: ${ended?.text}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function ask(cluster: LaunchedCluster, apiKey: string, key: string, begun = (): void => {}): Promise<Ended> {
  let text = '';
  let status = 0;
  try {
    const response = await fetch(`${cluster.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        connection: 'close',
        'idempotency-key': key,
      },
      body: JSON.stringify({
        model: 'sim/slow',
        stream: true,
        max_tokens: 1_000,
        messages: [{ role: 'user', content: `@sim ${JSON.stringify({ id: key, ...DIRECTIVE })}` }],
      }),
    });
    status = response.status;
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece as Uint8Array, { stream: true });
      if (text.includes('"content"')) begun();
    }
    const cost = /"cost":\s*([0-9.e-]+)/.exec(text)?.[1];
    return { status, text, cost: cost === undefined ? null : Number(cost) };
  } catch (error) {
    if (status === 0) throw error;
    return { status, text, cost: null };
  } finally {
    begun();
  }
}

async function usageOf(cluster: LaunchedCluster, apiKey: string): Promise<number> {
  return (await reportOf(cluster, apiKey)).total_usage;
}

async function creditsOf(cluster: LaunchedCluster, apiKey: string): Promise<number> {
  return (await reportOf(cluster, apiKey)).total_credits;
}

async function reportOf(
  cluster: LaunchedCluster,
  apiKey: string,
): Promise<{ total_usage: number; total_credits: number }> {
  const answer = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await answer.json()) as { data: { total_usage: number; total_credits: number } }).data;
}

test.run();
