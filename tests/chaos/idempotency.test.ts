import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { openAccounts } from './bank.ts';
import { Providers } from './providers.ts';

const it = bounded(test, 240_000);
const ACCOUNTS = 6;
const STREAMS = 18;
/** Clients that repeat one broken request at the same time. */
const REPEATS = 3;
const REPEAT_MS = 90_000;
const PAUSE_MS = 200;
const DIRECTIVE = { tokens: 40, tps: 5 };

interface Ended {
  readonly status: number;
  readonly text: string;
  /** Of a whole answer; null for one that broke off. */
  readonly cost: number | null;
}

it('requests of a killed node are repeated under their keys: each is served whole once and charged once', async () => {
  await buildFirst();
  const folder = mkdtempSync(join(tmpdir(), 'troupe-idempotency-'));
  const providers = await Providers.start(folder);
  const cluster = await LaunchedCluster.start({
    providers: providers.declarations,
    rates: { keyPerMinute: 1_000_000 },
  });
  try {
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
  } finally {
    await cluster.stop();
    await providers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Repeats a request until it no longer runs elsewhere, and no node is out of reach. */
async function repeatWhileRunning(cluster: LaunchedCluster, apiKey: string, key: string): Promise<Ended> {
  const until = performance.now() + REPEAT_MS;
  for (;;) {
    const ended = await ask(cluster, apiKey, key).catch(() => null);
    const isOver = ended !== null && ended.status !== 503 && !ended.text.includes('"generation_status":"running"');
    if (isOver) return ended;
    if (performance.now() > until) throw new Error(`${key} still runs: ${ended?.text}`);
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
  const answer = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await answer.json()) as { data: { total_usage: number } }).data.total_usage;
}

test.run();
