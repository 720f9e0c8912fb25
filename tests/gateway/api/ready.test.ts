/** `GET /api/v1/ready`, which a balancer reads. What it answers over HTTP is in tests/api/tight/spellings.test.ts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { healthRoutes } from '../../../gateway/api/health.ts';
import type { Route } from '../../../gateway/edge/route.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { ServingState } from '../../../gateway/terms/serving-state.ts';

function routeOf(parts: Parameters<typeof healthRoutes>[0]): Route {
  return healthRoutes(parts).find(({ path }) => path === '/ready') as Route;
}

/** In the last of these states, after each of the others for one look. */
async function readyIn(...states: readonly ServingState[]): Promise<unknown> {
  let looks = 0;
  const readiness = (): ServingState => states[Math.min(looks++, states.length - 1)] as ServingState;
  return routeOf({ readiness, clock: systemClock }).answer({} as never);
}

test('a node that serves is ready, without a key', async () => {
  assert.is(routeOf({ readiness: () => 'ready', clock: systemClock }).policy, 'unguarded');
  assert.is(((await readyIn('ready')) as { readonly body: string }).body, '{"status":"ready"}');
});

test('a node that does not serve answers 503 with the category of the reason and when to ask again', async () => {
  for (const state of ['starting', 'isolated', 'draining', 'left'] as const) {
    const error = (await readyIn(state).then(
      () => assert.unreachable(),
      (thrown: unknown) => thrown,
    )) as GatewayError;
    assert.is(error.status, 503);
    assert.equal(error.metadata, { reason: state });
    assert.is(error.headers['retry-after'], '1');
  }
});

test('a node whose own event loop stalled answers once its next heartbeat is answered', async () => {
  const answer = (await readyIn('waking', 'waking', 'ready')) as { readonly body: string };
  assert.is(answer.body, '{"status":"ready"}');
});

test.run();
