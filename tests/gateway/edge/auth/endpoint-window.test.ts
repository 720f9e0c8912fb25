import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../../actors/runtime/index.ts';
import type { GrantedSlice, WindowBudgets } from '../../../../gateway/edge/auth/budgets.ts';
import { EndpointWindow } from '../../../../gateway/edge/auth/endpoint-window.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

const WHO = { asker: 'account:a', holder: 'account:a' };

/** A window and a manual clock. */
class Bench {
  time = 0;
  left: number;
  readonly returned: number[] = [];
  grants = 0;
  readonly #share: number;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  constructor(left: number, share: number) {
    this.left = left;
    this.#share = share;
  }

  readonly clock: Clock = {
    now: () => this.time,
    monotonic: () => this.time,
    after: (delayMs, run) => {
      const timer = { at: this.time + delayMs, run };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  };

  pass(ms: number): void {
    this.time += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.time) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }

  window(): EndpointWindow {
    const budgets: WindowBudgets = {
      grantSlice: (): Promise<GrantedSlice> => {
        this.grants++;
        const granted = Math.min(this.left, this.#share);
        this.left -= granted;
        const resetAt = (Math.floor(this.time / 60_000) + 1) * 60_000;
        return Promise.resolve({ granted, remainingMs: resetAt - this.time, limit: 100, resetAt, contended: false });
      },
      returnSlice: (unused) => void this.returned.push(unused),
      reportAskers: () => {},
      grantPart: () => Promise.reject(new Error('not used here')),
    };
    const part = { max: 100, free: 100, pool: 0 };
    return new EndpointWindow(budgets, this.clock, { now: () => this.time, idleMs: 1_000, part });
  }
}

async function take(window: EndpointWindow): Promise<number> {
  try {
    await window.take(WHO);
    return 200;
  } catch (error) {
    if (error instanceof GatewayError) return error.status;
    throw error;
  }
}

it('admits exactly the limit of the window over several nodes, and answers 429 beyond (rule E14)', async () => {
  const bench = new Bench(100, 8);
  const nodes = [bench.window(), bench.window(), bench.window()];
  const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => take(nodes[i % 3] as EndpointWindow)));
  assert.is(answers.filter((status) => status === 200).length, 100);
  assert.is(answers.filter((status) => status === 429).length, 200);
});

it('takes from a share without waiting and fetches the next one ahead', async () => {
  const bench = new Bench(100, 8);
  const window = bench.window();
  await window.take(WHO);
  assert.is(bench.grants, 1);
  for (let i = 0; i < 7; i++) assert.equal(window.take(WHO), { resetAt: 60_000, holder: 'account:a' });
  await Promise.resolve();
  assert.is(bench.grants, 2);
  await new Promise((resolve) => setImmediate(resolve));
  assert.not.instance(window.take(WHO), Promise);
});

it('starts again in the next window', async () => {
  const bench = new Bench(1, 8);
  const window = bench.window();
  assert.equal([await take(window), await take(window)], [200, 429]);
  bench.pass(59_999);
  assert.is(await take(window), 429);
  bench.left = 10;
  bench.pass(1);
  assert.is(await take(window), 200);
});

it('returns an idle share, and never an expired one', async () => {
  const bench = new Bench(100, 8);
  const window = bench.window();
  await window.take(WHO);
  bench.pass(1_000);
  assert.equal(bench.returned, [7]);
  bench.time = 59_500;
  await window.take(WHO);
  bench.pass(2_000);
  assert.equal(bench.returned, [7]);
});

it('returns what refused requests took, to the share or to the cluster, but never into a later window', async () => {
  const bench = new Bench(100, 8);
  const window = bench.window();
  const first = await window.take(WHO);
  for (let i = 0; i < 50; i++) window.giveBack(await window.take(WHO));
  assert.is(bench.grants, 1, 'returned requests are taken again');
  bench.pass(1_000);
  assert.equal(bench.returned, [7], 'the idle share');
  window.giveBack(first);
  assert.equal(bench.returned, [7, 1], 'a request that ended after its share');
  bench.pass(60_000);
  await window.take(WHO);
  window.giveBack(first);
  bench.pass(1_000);
  assert.equal(bench.returned, [7, 1, 7]);
});

it('asks again after a second whether an empty window got something back', async () => {
  const bench = new Bench(0, 8);
  const window = bench.window();
  assert.equal([await take(window), await take(window), bench.grants], [429, 429, 1]);
  assert.throws(() => window.check(WHO), /limited to 100/);
  bench.left = 1;
  bench.pass(1_000);
  window.check(WHO);
  assert.is(await take(window), 200);
});

it('reports when the window starts again', async () => {
  const bench = new Bench(0, 8);
  bench.time = 15_000;
  const refusal = await Promise.resolve(bench.window().take(WHO)).catch((error: GatewayError) => error);
  assert.instance(refusal, GatewayError);
  assert.is((refusal as GatewayError).headers['retry-after'], '45');
  assert.is((refusal as GatewayError).headers['x-ratelimit-reset'], '60');
});

test.run();
