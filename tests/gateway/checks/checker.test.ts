/** Checks end to end: from the request to a real simulator to the evidence that routing reads, on a manual clock. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../../actors/terms/ids.ts';
import { endpointObject } from '../../../gateway/catalogue/endpoints.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { bounded } from '../../support/bounded.ts';
import { Market } from './market.ts';

const it = bounded(test);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ALL: Partial<Endpoint> = {
  supportedParameters: ['reasoning', 'response_format', 'structured_outputs', 'tool_choice', 'tools'],
  reasoning: { efforts: ['high', 'low', 'none'], mandatory: false },
};
const TOOLS: Partial<Endpoint> = { supportedParameters: ['tool_choice', 'tools'] };

let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'a', keep: true });
});
test.after(() => simulator.close());

async function found(model: string, over = ALL): Promise<Endpoint> {
  const market = new Market();
  const { id } = market.declare('a', simulator.baseUrl, model, over);
  await market.settle();
  await market.close();
  return market.shown(id);
}

it('verifies an endpoint that behaves as declared: tools, dispatch, formats, efforts', async () => {
  const { evidence, measured, health } = await found('flawed/none');
  assert.equal(
    evidence.checks?.map(({ check, verdict }) => `${check} ${verdict}`),
    [
      ...['tools passed', 'tool_dispatch passed', 'structured_outputs passed', 'response_format passed'],
      ...['effort:none passed', 'effort:low passed', 'effort:high passed'],
    ],
  );
  assert.equal([evidence.withheld, evidence.refutedEfforts, evidence.dispatchVerified], [[], [], true]);
  assert.is(evidence.toolCallSuccess1dSamples, 0, 'checks are no tool traffic');
  assert.equal([measured.uptime1dSamples, health], [0, 'unknown'], 'checks count in no other figure');
});

it('does not check undeclared abilities (rule C41)', async () => {
  const { evidence } = await found('flawed/none', { supportedParameters: ['temperature'], reasoning: null });
  assert.equal(evidence.checks, []);
});

const MEDIA = ['image', 'video', 'audio', 'file'] as const;

it('an endpoint that ignores what a request shows it loses that input, until a later check passes (rule C44)', async () => {
  for (const medium of MEDIA) {
    const declared: Partial<Endpoint> = {
      supportedParameters: [],
      inputModalities: ['text', medium],
      inputs: { [medium]: { sources: ['data'], containers: null } },
    };
    for (const [model, verdict, inputs] of [
      ['flawed/none', 'passed', ['text', medium]],
      ['flawed/blind', 'failed', ['text']],
      ['flawed/refuses', null, ['text', medium]],
    ] as const) {
      const endpoint = await found(model, declared);
      assert.equal(
        endpoint.evidence.checks?.map((one) => [one.check, one.verdict]),
        [[`input:${medium}`, verdict]],
        model,
      );
      const shown = endpointObject(endpoint, 0);
      assert.equal([shown.input_modalities, shown.declared_input_modalities], [inputs, ['text', medium]]);
      const qualified = shown.capability_qualification as readonly { capability: string; expires_at: number }[];
      assert.is(qualified.length, verdict === null ? 0 : 1);
      for (const { capability, expires_at } of qualified) {
        assert.is(capability, `input:${medium}`);
        assert.ok(expires_at > 0);
      }
    }
    const fetched = { ...declared, inputs: { [medium]: { sources: ['url'], containers: null } } } as Partial<Endpoint>;
    assert.equal((await found('flawed/blind', fetched)).evidence.checks, [], `no ${medium} can be sent inline`);
  }
});

for (const [flaw, withheld, refuted] of [
  ['prose-for-tools', ['tools', 'tool_choice'], []],
  ['broken-arguments', [], []],
  ['ignores-format', ['structured_outputs', 'response_format'], []],
  ['ignores-schema', ['structured_outputs'], []],
  ['thinks-despite-none', [], ['none']],
  ['never-thinks', [], ['low', 'high']],
  ['rejects-effort', [], ['low', 'high']],
] as const) {
  it(`detects an endpoint with flaw ${flaw} and withholds only the affected parameters`, async () => {
    const { evidence } = await found(`flawed/${flaw}`);
    assert.equal([...evidence.withheld].sort(), [...withheld].sort());
    assert.equal(evidence.refutedEfforts, refuted);
    const tools = flaw === 'prose-for-tools' || flaw === 'broken-arguments';
    assert.is(evidence.dispatchVerified, !tools, 'a call is announced only where it comes whole');
  });
}

it('refusals and failures are diagnostic only (rule C40)', async () => {
  for (const model of ['flawed/refuses', 'sim/down']) {
    const { evidence } = await found(model, { supportedParameters: ALL.supportedParameters as string[] });
    assert.equal([evidence.withheld, evidence.refutedEfforts, evidence.dispatchVerified], [[], [], false], model);
    assert.ok((evidence.checks?.length ?? 0) >= 4 && evidence.checks?.every(({ verdict }) => verdict === null), model);
  }
});

it('a probe is small, names no client, and is repeated only after a failure', async () => {
  const from = simulator.calls.length;
  await found('flawed/none', TOOLS);
  const requested = simulator.calls.slice(from);
  assert.is(requested.length, 2);
  for (const { body, headers } of requested) {
    assert.is(body.max_tokens, 512);
    assert.ok(JSON.stringify(body).length < 800);
    assert.equal([body.user, body.session_id, headers['x-session-id']], [undefined, undefined, undefined]);
  }
  await found('flawed/prose-for-tools', TOOLS);
  assert.is(simulator.calls.length - from, 2 + 4);
});

it('a failed check is repeated soon and restores what it withheld; a passed one is repeated much later', async () => {
  const patient = await repairable();
  const market = new Market();
  const { id } = market.declare('a', patient.baseUrl, 'flawed/prose-for-tools', TOOLS);
  await market.settle();
  assert.equal(market.evidence(id).withheld, ['tools', 'tool_choice']);
  assert.is(market.evidence(id).dispatchVerified, false);
  patient.repaired = true;
  market.actors.now += 5 * MINUTE_MS;
  await market.settle();
  assert.is(market.evidence(id).withheld.length, 2, 'not yet due');
  market.actors.now += 10 * MINUTE_MS;
  await market.settle();
  assert.equal(market.evidence(id).withheld, []);
  assert.is(market.evidence(id).dispatchVerified, true);
  const calls = patient.calls;
  market.actors.now += 4 * HOUR_MS;
  await market.settle();
  assert.is(patient.calls, calls, 'what passed is left alone for hours');
  market.actors.now += 2 * HOUR_MS;
  await market.settle();
  assert.is(patient.calls, calls + 2);
  await market.close();
  await patient.close();
});

it('scheduled checks raise a low tool fidelity above the minimum again (rule C35)', async () => {
  const market = new Market();
  const { id } = market.declare('a', simulator.baseUrl, 'flawed/none', TOOLS);
  await market.settle();
  const asks = (toolAsk: 'kept' | 'broken'): ObservedAttempt[] =>
    Array.from({ length: 10 }, () => ({ outcome: 'success', streamed: false, toolAsk }));
  market.observe(id, [...asks('kept'), ...asks('broken')]);
  assert.equal([market.evidence(id).toolCallSuccess1d, market.evidence(id).withheld.length], [50, 2]);
  let rounds = 0;
  for (; market.evidence(id).withheld.length > 0 && rounds < 200; rounds++) {
    market.actors.now += 15 * MINUTE_MS;
    await market.settle();
  }
  assert.is(rounds, 47, '57 of 67 are 85 %');
  assert.ok((market.evidence(id).toolCallSuccess1d as number) >= 85);
  await market.close();
});

it('runs one check at a time per provider, and several providers at once', async () => {
  const [first, second] = await Promise.all([createSlow(), createSlow()]);
  const market = new Market();
  for (const model of ['one', 'two', 'three']) market.declare('a', first.baseUrl, model, TOOLS);
  market.declare('b', second.baseUrl, 'one', TOOLS);
  const looks: Promise<void>[] = [];
  for (let look = 0; look < 5; look++) {
    market.actors.now += 1_000;
    looks.push(market.checker.look());
  }
  await until(() => first.open === 1 && second.open === 1);
  assert.equal([first.calls, second.calls], [1, 1]);
  first.release();
  second.release();
  await Promise.all(looks);
  await market.close();
  await Promise.all([first.close(), second.close()]);
});

it('a stopping checker aborts its running checks and reports nothing', async () => {
  const slow = await createSlow();
  const market = new Market();
  const { id } = market.declare('a', slow.baseUrl, 'one', TOOLS);
  await market.checker.look();
  market.actors.now += 1_000;
  const looking = market.checker.look();
  await until(() => slow.open === 1);
  market.checker.stop();
  await looking;
  await until(() => slow.open === 0);
  assert.equal(market.evidence(id).checks, []);
  market.checker.start();
  assert.is(market.clock.armed, 0, 'and does not begin again');
  await market.close();
  await slow.close();
});

it('the checker runs on its interval, and not at all when it is disabled', async () => {
  const market = new Market({ lookEveryMs: 1_000 });
  market.checker.start();
  assert.is(market.clock.armed, 1);
  const { id } = market.declare('a', simulator.baseUrl, 'flawed/none', TOOLS);
  market.actors.now += 1_000;
  while ((market.evidence(id).checks?.length ?? 0) < 2) {
    market.actors.now += 1_000;
    market.clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.is(market.evidence(id).checks?.length, 2);
  await market.close();
  assert.is(market.clock.armed, 0);
  const off = new Market({ enabled: false });
  off.checker.start();
  assert.is(off.clock.armed, 0);
  await off.close();
});

it('skips endpoints of other nodes and endpoints that are down', async () => {
  const market = new Market();
  const away = market.declare('a', simulator.baseUrl, 'flawed/none', TOOLS);
  market.foreign.add(endpointAddress(away.id));
  const down = market.declare('b', simulator.baseUrl, 'sim/down', TOOLS);
  for (let probe = 0; probe < 4; probe++) {
    market.tell(endpointAddress(down.id), {
      type: 'probe.observed',
      failure: { category: 'connect', text: 'refused' },
    } as never);
  }
  const from = simulator.calls.length;
  await market.settle();
  assert.is(simulator.calls.length, from);
  await market.close();
});

it('ignores a verdict about a configuration that has changed meanwhile', async () => {
  const slow = await createSlow();
  const market = new Market();
  const { id } = market.declare('a', slow.baseUrl, 'one', TOOLS);
  await market.checker.look();
  market.actors.now += 1_000;
  const looking = market.checker.look();
  await until(() => slow.open === 1);
  market.declare('a', slow.baseUrl, 'one', { ...TOOLS, quantization: 'fp8' });
  slow.release();
  await looking;
  assert.equal(market.evidence(id).checks, []);
  await market.close();
  await slow.close();
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 2));
}

interface Provider {
  readonly baseUrl: string;
  calls: number;
  close(): Promise<void>;
}

async function listening(server: Server): Promise<Pick<Provider, 'baseUrl' | 'close'>> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A provider that forwards calls to the simulator; once repaired it uses a model without flaws. */
async function repairable(): Promise<Provider & { repaired: boolean }> {
  const server = createServer(async (request, response) => {
    state.calls++;
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text) as { model: string };
    if (state.repaired) body.model = 'flawed/none';
    const answer = await fetch(`${simulator.baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  const state = { calls: 0, repaired: false, ...(await listening(server)) };
  return state;
}

/** A provider that answers with text when the test releases it. */
async function createSlow(): Promise<Provider & { readonly open: number; release(): void }> {
  const waiting = new Set<() => void>();
  let released = false;
  const server = createServer((request, response) => {
    request.resume();
    state.calls++;
    const answer = (): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"message":{"content":"no"},"finish_reason":"stop"}]}');
    };
    if (released) return answer();
    waiting.add(answer);
    response.once('close', () => waiting.delete(answer));
  });
  const state = {
    calls: 0,
    get open() {
      return waiting.size;
    },
    release: () => {
      released = true;
      for (const answer of waiting) answer();
    },
    ...(await listening(server)),
  };
  return state;
}

test.run();
