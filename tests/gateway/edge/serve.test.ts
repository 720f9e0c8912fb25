import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { JSON_BODY } from '../../../gateway/edge/body/route-body.ts';
import { edgeListener } from '../../../gateway/edge/edge-listener.ts';
import { callerOf, takeBody } from '../../../gateway/edge/request-context.ts';
import type { Route } from '../../../gateway/edge/route.ts';
import { serve } from '../../../gateway/edge/serve.ts';
import { HttpRouter } from '../../../gateway/http/http-router.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { ServingState } from '../../../gateway/terms/serving-state.ts';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';
import { servingOf } from '../../support/serving.ts';

const it = bounded(test);

type Step = 'shed' | 'queue' | 'place' | 'credential' | 'count' | 'check' | 'window' | 'handler' | 'returned';

const TAKEN = { resetAt: 60_000, holder: 'account:a' } as const;
const CALLER = { account: 'account:a', key: 'key:a/k', kind: 'inference' } as const;
const refusal = (step: Step, status = 418): GatewayError =>
  new GatewayError({ status, type: 'invalid_request', message: `refused: ${step}` });

interface Observed {
  readonly steps: readonly Step[];
  /** Requests counted as refused for overload. */
  readonly shed: number;
  readonly answer: string;
}

interface ObservedOptions {
  readonly policy: Route['policy'];
  readonly body?: Route['body'];
  /** The step that refuses. */
  readonly fails?: Step;
  /** Status of its refusal. */
  readonly status?: number;
  /** Makes the asynchronous steps wait. */
  readonly waits?: boolean;
  /** The node has not seen the key before. */
  readonly isStranger?: boolean;
  readonly isNeverShed?: true;
  /** The node wakes at its first look, and is in this state afterwards. */
  readonly wakesTo?: ServingState;
  readonly sent?: string;
  readonly lines?: string;
  readonly path?: string;
}

/** Returns the steps that one request took through `serve`, and its answer. */
async function observed({
  policy,
  body,
  fails,
  status,
  waits = false,
  isStranger = false,
  isNeverShed,
  wakesTo,
  sent,
  lines,
  path,
}: ObservedOptions): Promise<Observed> {
  const steps: Step[] = [];
  let places = 0;
  let shed = 0;
  const take = (step: Step): Promise<void> | null => {
    steps.push(step);
    if (step !== fails) return waits ? Promise.resolve() : null;
    if (waits) return Promise.reject(refusal(step, status));
    throw refusal(step, status);
  };
  const readiness = (): ServingState => {
    steps.push('shed');
    if (wakesTo !== undefined && steps.length === 1) return 'waking';
    return fails === 'shed' ? 'isolated' : (wakesTo ?? 'ready');
  };
  const authentication = {
    accountOf: () => (isStranger ? null : CALLER.account),
    enter: (context: { caller: unknown }) => {
      const entering = take('credential');
      if (fails !== 'credential') context.caller = CALLER;
      return entering;
    },
    count: async (context: { counted: boolean }) => {
      context.counted = true;
      steps.push('count');
      return fails === 'count' ? refusal('count') : null;
    },
  };
  const edge = servingOf({
    authentication,
    readiness,
    window: {
      check: () => void take('check'),
      take: () => {
        const taken = take('window');
        return taken === null ? TAKEN : taken.then(() => TAKEN);
      },
      giveBack: (given: unknown) => {
        assert.is(given, TAKEN);
        steps.push('returned');
      },
    },
    overload: {
      mayDispatch: () => {
        steps.push('queue');
        return fails !== 'queue';
      },
      enter: () => {
        steps.push('place');
        if (fails === 'place') return null;
        places++;
        let held = 1;
        const leave = (): void => {
          places -= held;
          held = 0;
        };
        const place = { leave };
        return waits ? Promise.resolve(place) : place;
      },
      refused: () => void shed++,
    },
  });
  const route: Route = {
    method: 'POST',
    path: '/a/:id',
    policy,
    ...(body && { body }),
    ...(isNeverShed && { isNeverShed }),
    answer: (context) => {
      take('handler');
      const value = body === JSON_BODY ? takeBody(context).value : null;
      const caller = context.caller === null ? null : callerOf(context).key;
      return { type: 'text/x', body: JSON.stringify({ value, caller, id: context.params.id, query: context.query }) };
    },
  };
  const router = new HttpRouter([route]);
  const listener = edgeListener({
    limits: config.edge,
    clock: systemClock,
    generation: () => 'gen-1',
    serve: (context) => void serve(context, router, edge),
  });
  const base = await listener.listen('127.0.0.1', 0);
  const text = sent ?? '{"a":1}';
  const head = `POST ${path ?? '/a/b?c=d'} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  const length = `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
  const answer = await rawExchange(base, `${head}${length}${lines ?? ''}\r\n${text}`);
  listener.close();
  assert.is(places, 0, 'every place was left');
  return { steps, shed, answer };
}

const ORDER: readonly Step[] = ['shed', 'queue', 'credential'];

it('takes the steps of each policy in one order', async () => {
  for (const waits of [false, true]) {
    for (const [policy, steps] of [
      ['unguarded', []],
      ['open', [...ORDER, 'place', 'window']],
      ['admit', [...ORDER, 'place', 'window']],
      ['key', [...ORDER, 'count', 'place', 'window']],
    ] as const) {
      const done = await observed({ policy, waits });
      assert.equal(done.steps, [...steps, 'handler'], policy);
      assert.match(
        done.answer,
        /^HTTP\/1\.1 200 [\s\S]*\r\nx-generation-id: gen-1\r\n[\s\S]*\r\ncontent-type: text\/x\r\n/,
      );
      assert.ok(done.answer.endsWith('"id":"b","query":"c=d"}'), done.answer);
    }
  }
});

it('a refusing step is the last one, whether it waits or not', async () => {
  for (const waits of [false, true]) {
    for (const fails of ['window', 'credential', 'count'] as const) {
      const done = await observed({ policy: 'key', fails, waits });
      assert.is(done.steps.at(-1), fails, `${fails} ${waits}`);
      assert.not.ok(done.steps.includes('returned'), 'nothing was taken');
      assert.not.ok(done.steps.includes('handler'));
      assert.match(done.answer, new RegExp(`^HTTP/1\\.1 418 [\\s\\S]*"message":"refused: ${fails}"`));
    }
  }
  const { steps, answer } = await observed({ policy: 'key', fails: 'shed' });
  assert.equal(steps, ['shed']);
  assert.match(answer, /^HTTP\/1\.1 503 /);
});

it('a request to a node that wakes waits for its next heartbeat, and is served or refused by what that tells', async () => {
  const served = await observed({ policy: 'key', wakesTo: 'ready' });
  assert.equal(served.steps, ['shed', ...ORDER, 'count', 'place', 'window', 'handler']);
  assert.match(served.answer, /^HTTP\/1\.1 200 /);
  const refused = await observed({ policy: 'key', wakesTo: 'isolated' });
  assert.equal(refused.steps, ['shed', 'shed']);
  assert.match(refused.answer, /^HTTP\/1\.1 503 /);
});

it('a body is read after the credential and before the handler', async () => {
  const read = await observed({ policy: 'admit', body: JSON_BODY });
  assert.equal(read.steps, [...ORDER, 'check', 'place', 'window', 'handler']);
  assert.match(read.answer, /\{"value":\{"a":1\},"caller":"key:a\/k"/);
  const broken = await observed({ policy: 'admit', body: JSON_BODY, sent: '{' });
  // A refusal of a known caller is counted. A body that is not read to its end takes nothing of the window.
  assert.equal(broken.steps, [...ORDER, 'check', 'count']);
  assert.match(
    broken.answer,
    /^HTTP\/1\.1 400 [\s\S]*"message":"The body is not valid JSON: it ends too early, at line 1, byte 2"/,
  );
});

it('the file of a form is read after the place, which does not wait for it, and after the window', async () => {
  const body = { type: 'upload', fileBytesMax: 10, fieldsMax: 1, fieldBytesMax: 10 } as const;
  const refused = await observed({ policy: 'admit', body });
  assert.equal(refused.steps, [...ORDER, 'place', 'window', 'count', 'returned']);
  assert.match(refused.answer, /^HTTP\/1\.1 400 [\s\S]*"message":"The content type must be multipart\/form-data/);
});

it('a client that waits for 100 Continue receives it after authentication, and not before (rule E24)', async () => {
  const lines = 'Expect: 100-continue\r\n';
  const continued = await observed({ policy: 'admit', body: JSON_BODY, lines });
  assert.match(continued.answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  const refused = await observed({ policy: 'admit', body: JSON_BODY, lines, fails: 'credential' });
  assert.match(refused.answer, /^HTTP\/1\.1 418 /);
});

it('a window that is used up refuses before the body is read, and after it too', async () => {
  const early = await observed({ policy: 'admit', body: JSON_BODY, fails: 'check', lines: 'Expect: 100-continue\r\n' });
  assert.equal(early.steps, [...ORDER, 'check', 'count']);
  assert.match(early.answer, /^HTTP\/1\.1 418 /, 'without an invitation to send the body');
  const late = await observed({ policy: 'admit', body: JSON_BODY, fails: 'window' });
  assert.equal(late.steps, [...ORDER, 'check', 'place', 'window', 'count']);
});

it('a refusal returns what the request took of the window; a failure of the service keeps it (rule E14)', async () => {
  const refused = await observed({ policy: 'open', fails: 'handler' });
  assert.is(refused.steps.at(-1), 'returned');
  const failed = await observed({ policy: 'open', fails: 'handler', status: 503 });
  assert.match(failed.answer, /^HTTP\/1\.1 503 /);
  assert.not.ok(failed.steps.includes('returned'));
});

it('a handler that reads its own body receives it unread, and one that throws is refused', async () => {
  const unread = await observed({ policy: 'admit', sent: '{' });
  assert.match(unread.answer, /^HTTP\/1\.1 200 /);
  const thrown = await observed({ policy: 'admit', fails: 'handler' });
  assert.equal(thrown.steps, [...ORDER, 'place', 'window', 'handler', 'count', 'returned']);
  assert.match(thrown.answer, /^HTTP\/1\.1 418 [\s\S]*"message":"refused: handler"/);
});

it('an overloaded node refuses before the credential and the body, uncounted, and again after the body (rule E46)', async () => {
  for (const waits of [false, true]) {
    const early = await observed({ policy: 'admit', body: JSON_BODY, fails: 'queue', waits });
    assert.equal(early.steps, ['shed', 'queue']);
    const late = await observed({ policy: 'admit', body: JSON_BODY, fails: 'place', waits });
    assert.equal(late.steps, [...ORDER, 'check', 'place']);
    const stranger = await observed({ policy: 'admit', body: JSON_BODY, fails: 'place', waits, isStranger: true });
    assert.equal(stranger.steps, ['shed', 'place'], 'an unknown key is not looked up');
    assert.is(early.shed, 1);
    for (const { answer } of [early, late, stranger])
      assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*x-should-retry: true/);
  }
});

it('a key that the node has not seen is looked up with a place of the strangers', async () => {
  const { steps } = await observed({ policy: 'admit', isStranger: true });
  assert.equal(steps, ['shed', 'place', 'credential', 'place', 'window', 'handler']);
});

it('a route that ends work is served however loaded the node is (rule E45)', async () => {
  for (const isStranger of [false, true]) {
    const { steps, answer } = await observed({ policy: 'key', isNeverShed: true, isStranger });
    assert.equal(steps, ['shed', 'credential', 'count', 'window', 'handler']);
    assert.match(answer, /^HTTP\/1\.1 200 /);
  }
});

it('an address without a route takes the steps of an open one', async () => {
  for (const path of ['/nothing?secret', '/a/%zz', `/a/${'b'.repeat(513)}`]) {
    const { steps, answer } = await observed({ policy: 'key', path });
    assert.equal(steps, [...ORDER, 'place', 'window', 'count', 'returned']);
    assert.match(answer, /^HTTP\/1\.1 404 [\s\S]*"message":"No route for POST \/[^?]*"/);
    assert.not.match(answer, /secret/);
  }
});

test.run();
