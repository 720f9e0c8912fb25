import { Counter, Histogram, Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BoundedLabels } from '../../../../gateway/operator/metrics/bounded-labels.ts';
import { RequestMetrics } from '../../../../gateway/operator/metrics/request-metrics.ts';
import type { Receipt } from '../../../../gateway/terms/receipt.ts';

const AT = { model: 'sim/fast', provider: 'Alpha' };

/** Calls of the client library that `run` makes; each metric of it takes its method from here when it is made. */
function calls(run: (metrics: RequestMetrics) => void): number {
  const made: [object, string, unknown][] = [
    [Counter.prototype, 'incWithoutExemplar', null],
    [Histogram.prototype, 'observeWithoutExemplar', null],
  ];
  let count = 0;
  for (const method of made) {
    const [prototype, name] = method;
    const own = Reflect.get(prototype, name) as (...args: unknown[]) => void;
    method[2] = own;
    Reflect.set(prototype, name, function counted(this: object, ...args: unknown[]) {
      count++;
      return Reflect.apply(own, this, args);
    });
  }
  try {
    const metrics = new RequestMetrics(new Registry());
    count = 0;
    run(metrics);
    return count;
  } finally {
    for (const [prototype, name, own] of made) Reflect.set(prototype, name, own);
  }
}

function served(latencyMs: number): Receipt {
  const candidate = { model: AT.model, endpoint: { provider: { name: AT.provider } } };
  return { candidate, latencyMs, attempts: [{ outcome: 'served' }] } as unknown as Receipt;
}

function complete(metrics: RequestMetrics): void {
  metrics.holdOpened();
  metrics.turnServed(served(40));
  metrics.charged(AT, { cost: '0.25', promptTokens: 3, completionTokens: 5 });
  metrics.holdEnded();
  metrics.requestEnded('POST /chat/completions', 200, 60);
}

test('a completion makes six calls of the client library, so that it stays far below two percent of its cost', () => {
  assert.is(calls(complete), 6);
});

test('holds, late charges and charges above their hold are counted', async () => {
  const registry = new Registry();
  const metrics = new RequestMetrics(registry);
  complete(metrics);
  metrics.holdOpened();
  metrics.settled({ late: true, overshoot: null });
  metrics.settled({ late: false, overshoot: '0.01' });
  const text = await registry.metrics();
  assert.match(text, /\ntroupe_holds_open 1\n/);
  assert.match(text, /\ntroupe_settles_late_total 1\n/);
  assert.match(text, /\ntroupe_overshoots_total 1\n/);
  assert.match(text, /\ntroupe_usd_total\{model="sim\/fast",provider="Alpha"\} 0\.25\n/);
  assert.match(text, /\ntroupe_first_token_seconds_bucket\{le="0\.05",model="sim\/fast",provider="Alpha"\} 1\n/);
  assert.match(text, /\ntroupe_first_token_seconds_bucket\{le="0\.025",model="sim\/fast",provider="Alpha"\} 0\n/);
});

test('a failed attempt is counted with its reason', async () => {
  const registry = new Registry();
  new RequestMetrics(registry).attemptEnded(AT, { outcome: 'failed', reason: 'misconfigured' });
  const text = await registry.metrics();
  assert.match(text, /\ntroupe_attempts_total\{model="sim\/fast",provider="Alpha",outcome="failed"\} 1\n/);
  assert.match(text, /provider_refusals_total\{model="sim\/fast",provider="Alpha",reason="misconfigured"\} 1\n/);
});

test('endpoints beyond the bound share one series', () => {
  const labels = new BoundedLabels(2);
  const named = ['a', 'b', 'c', 'd', 'a'].map((model) => labels.of({ model, provider: 'p' }).model);
  assert.equal(named, ['a', 'b', 'other', 'other', 'a']);
});

test.run();
