import * as assert from 'uvu/assert';
import type { Endpoint, Percentiles } from '../../../actors/terms/endpoint.ts';
import { figuresOf, type Logged } from './measured-oracle.ts';

/** Percentiles are within 2 % of the true ones, and rounded to four digits. */
const RELATIVE = 0.0205;
/** Percentages and seconds of renders are rounded to three decimals. */
const ROUNDED = 0.000501;

/** Asserts that an endpoint as published shows the figures of the log. */
export function sameAsOracle({ measured, evidence, health }: Endpoint, log: readonly Logged[], now: number): void {
  const truth = figuresOf(log, now);
  for (const window of ['5m', '30m', '1d', '7d'] as const) {
    near(measured[`uptime${window}`], truth.uptime[window], `uptime ${window}`);
    if (window !== '7d') assert.is(measured[`uptime${window}Samples`], truth.uptimeSamples[window], `uptime ${window}`);
  }
  for (const window of ['30m', '1d'] as const) {
    spread(measured[`ttft${window}`], truth.ttft[window], `ttft ${window}`);
    spread(measured[`response${window}`], truth.response[window], `response ${window}`);
    spread(measured[`throughput${window}`], truth.throughput[window], `throughput ${window}`);
    assert.is(measured[`throughput${window}Samples`], truth.throughputSamples[window], `throughput ${window}`);
  }
  assert.is(measured.ttft30mSamples, truth.ttft30mSamples, 'ttft 30m');
  near(evidence.toolCallSuccess1d, truth.toolCallSuccess, 'tool calls');
  assert.is(evidence.toolCallSuccess1dSamples, truth.toolCallSamples, 'tool calls');
  near(measured.runaway1d, truth.runaway, 'runaway');
  assert.is(measured.runaway1dSamples, truth.runawaySamples, 'runaway');
  near(measured.renderTiming?.fixedSeconds ?? null, truth.render?.fixed ?? null, 'fixed seconds of a render');
  near(measured.renderTiming?.secondsPerMegapixel ?? null, truth.render?.perMegapixel ?? null, 'seconds per megapixel');
  assert.equal([measured.renderTimingSamples, measured.renderTimingSizes], [truth.renders, truth.sizes], 'renders');
  assert.is(health, truth.health, 'health');
}

function near(read: number | null, truth: number | null, what: string): void {
  if (read === null || truth === null) assert.is(read, truth, what);
  else assert.ok(Math.abs(read - truth) <= ROUNDED, `${what}: ${read} for ${truth}`);
}

function spread(read: Percentiles | null, truth: readonly number[] | null, what: string): void {
  if (read === null || truth === null) {
    assert.is(read, truth, what);
    return;
  }
  for (const [at, name] of (['p50', 'p75', 'p90', 'p99'] as const).entries()) {
    const exact = truth[at] as number;
    assert.ok(Math.abs(read[name] - exact) <= RELATIVE * exact, `${what} ${name}: ${read[name]} for ${exact}`);
  }
}
