import { Type } from 'typebox';
import type { Clock } from '../../actors/runtime/index.ts';
import { awaitWaking } from '../edge/await-waking.ts';
import { type Route, withHead } from '../edge/route.ts';
import { jsonAnswer } from '../http/write-answer.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { ServingState } from '../terms/serving-state.ts';
import type { Operations } from './wire/operation.ts';

interface HealthParts {
  readonly readiness: () => ServingState;
  readonly clock: Clock;
}

const aliveSchema = Type.Object({
  name: Type.Literal('troupe', { description: 'Always `troupe`.' }),
  status: Type.Literal('ok', { description: 'Always `ok`: the process answers.' }),
});

const readySchema = Type.Object({
  status: Type.Literal('ready', { description: 'Always `ready`: the node accepts requests. Other states are 503.' }),
});

/** What the document says of the routes. */
export const HEALTH_OPERATIONS: Operations = {
  'GET /': {
    summary: 'Liveness of the service',
    description: 'Answers while the process lives, also while it accepts no requests. Reads no credential.',
    answers: 'The process is alive.',
    reply: { Alive: aliveSchema },
  },
  'HEAD /': {
    summary: 'Liveness of the service, without a body',
    description: 'The status and headers of GET /.',
    answers: 'The process is alive.',
    reply: { Alive: aliveSchema },
  },
  'GET /ready': {
    summary: 'Whether the node accepts requests',
    description: 'For balancers. 503 names in `metadata.reason` why the node accepts none.',
    answers: 'The node accepts requests.',
    reply: { Ready: readySchema },
  },
};

/** Whether the node lives, and whether it accepts requests. */
export function healthRoutes(parts: HealthParts): readonly Route[] {
  return [...aliveAt(''), ...aliveAt('/'), readyRoute(parts)];
}

const ALIVE = JSON.stringify({ name: 'troupe', status: 'ok' });

/** A liveness read: ignores credentials, and answers while the node is not ready. */
function aliveAt(path: string): readonly Route[] {
  return withHead({ method: 'GET', path, policy: 'unguarded', answer: () => jsonAnswer(ALIVE) });
}

/** For balancers: 200 while the node accepts requests, else 503 with the category of the reason, never its detail. */
function readyRoute(parts: HealthParts): Route {
  return {
    method: 'GET',
    path: '/ready',
    policy: 'unguarded',
    answer: async () => {
      const status = await awaitWaking(parts);
      if (status === 'ready') return jsonAnswer(JSON.stringify({ status }));
      throw new GatewayError({
        status: 503,
        type: 'provider_overloaded',
        message: `The node is ${status}`,
        metadata: { reason: status },
        headers: { 'retry-after': '1' },
      });
    },
  };
}
