import type { Measured } from '../../../actors/terms/endpoint.ts';

/** The figures of an endpoint without calls. */
export const UNMEASURED: Measured = {
  uptime5m: null,
  uptime30m: null,
  uptime1d: null,
  uptime7d: null,
  uptime5mSamples: 0,
  uptime30mSamples: 0,
  uptime1dSamples: 0,
  ttft30m: null,
  ttft1d: null,
  ttft30mSamples: 0,
  response30m: null,
  response1d: null,
  throughput30m: null,
  throughput1d: null,
  throughput30mSamples: 0,
  throughput1dSamples: 0,
  runaway1d: null,
  runaway1dSamples: 0,
  renderTiming: null,
  renderTimingSamples: 0,
  renderTimingSizes: 0,
  counts30m: { success: 0, error: 0, tokens: 0, causes: {} },
  counts1d: { success: 0, error: 0, tokens: 0, causes: {} },
};
