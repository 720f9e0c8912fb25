import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyRecord } from '../../../../../actors/endpoint/record.ts';
import type { Session } from '../../../../../gateway/operator/cli/frame/session.ts';
import { endpointsOf, sorted } from '../../../../../gateway/operator/cli/provider/endpoints.ts';
import { ConfigError } from '../../../../../gateway/operator/config/config-error.ts';
import { bounded } from '../../../../support/bounded.ts';
import { DECLARATION, UNMEASURED } from '../../../../support/model/endpoints.ts';

const it = bounded(test);
const spread = (p50: number) => ({ p50, p75: p50, p90: p50, p99: p50 });
const MEASURED = {
  quick: { ...UNMEASURED, ttft1d: spread(0.1), response1d: spread(9), throughput1d: spread(80), uptime1d: 70 },
  slow: { ...UNMEASURED, ttft1d: spread(2), response1d: spread(3), throughput1d: spread(20), uptime1d: 99 },
  new: UNMEASURED,
};

/** A cluster of three endpoints, and one that is quarantined. */
const session = {
  operator: {
    actors: async ({ kind }: { readonly kind: string }) => ({
      actors: (kind === 'endpoint' ? ['quick', 'new', 'slow', 'broken'] : []).map((id) => ({
        address: `endpoint:${id}`,
      })),
      next: null,
    }),
    inspect: async (address: string) => {
      const id = address.slice('endpoint:'.length) as keyof typeof MEASURED;
      const declaration = { ...DECLARATION, id, model: `m/${id}` };
      const context = { ...emptyRecord(address), declaration, measured: MEASURED[id] };
      const explanation = ['It is unknown.', 'Only 0 attempts were counted.'];
      return { address, state: 'unknown', context: (id as string) === 'broken' ? null : context, explanation };
    },
  },
} as unknown as Session;

it('`endpoints list --sort` puts the worst first and what is not measured last', async () => {
  const found = await endpointsOf(session, {});
  const order = (figure?: string) => sorted(found, figure).map(({ model }) => model);
  assert.equal(order(), ['', 'm/new', 'm/quick', 'm/slow'], 'by name; of a quarantined actor only the id is known');
  assert.equal(order('latency'), ['m/slow', 'm/quick', '', 'm/new']);
  assert.equal(order('response'), ['m/quick', 'm/slow', '', 'm/new']);
  assert.equal(order('throughput'), ['m/slow', 'm/quick', '', 'm/new']);
  assert.equal(order('uptime'), ['m/quick', 'm/slow', '', 'm/new']);
  assert.throws(
    () => sorted(found, 'speed'),
    (error: unknown) =>
      error instanceof ConfigError &&
      error.message === '"speed" is not a figure to sort by; write latency, response, throughput, uptime',
  );
});

test.run();
