import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Clock, systemClock } from '../../../actors/runtime/index.ts';
import type { OutboundCall } from '../../../gateway/outbound/outbound.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { bounded } from '../../support/bounded.ts';
import { ManualClock } from './manual-clock.ts';
import { type Answer, failureOf, serving } from './scene.ts';

const it = bounded(test);
const LIMITS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 3_000, totalMs: 10_000, bodyBytesMax: 1_000_000 };

/** The calls that a provider received, each of which it answers, while `run` calls it. */
async function callsDuring(run: (call: OutboundCall) => Promise<void>): Promise<number> {
  let calls = 0;
  const answer: Answer = (_, response) => {
    calls++;
    response.end('late');
  };
  await serving(answer, { path: '/chat', body: 'hello', limits: LIMITS }, run);
  return calls;
}

function pools(lease: { readonly connected: boolean }, clock: Clock = systemClock): Pools {
  return new Pools({ clock, lease, connectionsPerOriginMax: 2, connectMs: 1_000 });
}

it('a node without its lease begins a call once the lease holds again (rule N33)', async () => {
  const lease = { connected: false };
  const calls = await callsDuring(async (call) => {
    const clock = new ManualClock();
    const client = pools(lease, clock);
    const reply = client.send(call);
    clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(client.underWay, 0);
    lease.connected = true;
    clock.advance(100);
    assert.is(await (await reply).body.text(), 'late');
    await client.close();
  });
  assert.is(calls, 1);
});

it('a node that loses its lease while it connects sends nothing', async () => {
  const calls = await callsDuring(async (call) => {
    const lease = { connected: true };
    const client = pools(lease);
    const failure = failureOf(client.send(call));
    lease.connected = false;
    assert.is(await failure, 'aborted');
    await client.close();
  });
  assert.is(calls, 0);
});

it('a node without its lease sends nothing: neither after the time to connect nor after an abort (rule N33)', async () => {
  const calls = await callsDuring(async (call) => {
    const lease = { connected: false };
    const clock = new ManualClock();
    const client = pools(lease, clock);
    const late = failureOf(client.send(call));
    for (let ms = 0; ms <= LIMITS.connectMs; ms += 50) clock.advance(50);
    assert.is(await late, 'aborted');
    let abort = (): void => {};
    const left = failureOf(client.send({ ...call, begun: (ends) => (abort = ends) }));
    abort();
    lease.connected = true;
    clock.advance(50);
    assert.is(await left, 'aborted');
    await client.close();
  });
  assert.is(calls, 0);
});

it('a client that is closed while it waits for the lease ends its calls', async () => {
  await callsDuring(async (call) => {
    const client = pools({ connected: false });
    const failure = failureOf(client.send(call));
    await client.close();
    assert.is(await failure, 'saturated');
  });
});

test.run();
