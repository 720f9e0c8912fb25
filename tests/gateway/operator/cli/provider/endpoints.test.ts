import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sorted } from '../../../../../gateway/operator/cli/provider/endpoints.ts';
import { ConfigError } from '../../../../../gateway/operator/config/config-error.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const UNMEASURED = { uptimePercent: null, latencySeconds: null, responseSeconds: null, tokensPerSecond: null };

/** Three endpoints, and one whose state does not load. */
const FOUND = [
  { model: '', day: UNMEASURED },
  { model: 'm/new', day: UNMEASURED },
  {
    model: 'm/quick',
    day: { latencySeconds: 0.1, responseSeconds: 9, tokensPerSecond: 80, uptimePercent: 70 },
  },
  {
    model: 'm/slow',
    day: { latencySeconds: 2, responseSeconds: 3, tokensPerSecond: 20, uptimePercent: 99 },
  },
];

it('`endpoints list --sort` puts the worst first and what is not measured last', () => {
  const order = (figure?: string) => sorted(FOUND, figure).map(({ model }) => model);
  assert.equal(order(), ['', 'm/new', 'm/quick', 'm/slow'], 'as the API lists them');
  assert.equal(order('latency'), ['m/slow', 'm/quick', '', 'm/new']);
  assert.equal(order('response'), ['m/quick', 'm/slow', '', 'm/new']);
  assert.equal(order('throughput'), ['m/slow', 'm/quick', '', 'm/new']);
  assert.equal(order('uptime'), ['m/quick', 'm/slow', '', 'm/new']);
  assert.throws(
    () => sorted(FOUND, 'speed'),
    (error: unknown) =>
      error instanceof ConfigError &&
      error.message === '"speed" is not a figure to sort by; write latency, response, throughput, uptime',
  );
});

test.run();
