import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NOT_ASKED, type SettleResult } from '../../../../actors/payment/settlement.ts';
import { ActivityFailed, type ActivityTask } from '../../../../actors/runtime/index.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import config from '../../../../cluster.config.ts';
import {
  Facilitator,
  type FoundSettlement,
  NoAnswer,
  type PaymentSettlement,
  type PaymentVerdict,
} from '../../../../gateway/jobs/deposits/facilitator.ts';
import { settleHandler } from '../../../../gateway/jobs/deposits/settle.ts';
import { Pools } from '../../../../gateway/outbound/pools.ts';
import { startFacilitator } from '../../../../gateway/simulator/facilitator/facilitator.ts';
import { bounded } from '../../../support/bounded.ts';
import { newPayment } from '../../../support/model/payments.ts';
import { FACILITATOR_SECRET, railOf } from '../../../support/x402.ts';

const it = bounded(test);
const { payments: LIMITS } = config.deposits;
const { account, network, payer, nonce, payload, requirements, validBefore } = newPayment(1);
const input = { deposit: 'dep_1', account, network, payer, nonce, payload, requirements, validBefore };
const SETTLED: PaymentSettlement = { success: true, transaction: '0xT1', network, payer, errorReason: '' };
const REFUSED: PaymentSettlement = { ...SETTLED, success: false, transaction: '', errorReason: 'insufficient_funds' };

interface Scene {
  readonly attempt?: number;
  readonly now?: number;
  readonly verify?: PaymentVerdict | Error;
  readonly settle?: PaymentSettlement | Error;
  readonly find?: FoundSettlement | Error;
}

/** Runs one attempt; returns its result or the code of its failure, and what was asked. */
async function run(scene: Scene): Promise<readonly [SettleResult | string, string]> {
  const asked: string[] = [];
  const say =
    <T>(name: string, answer: T | Error | undefined) =>
    async (): Promise<T> => {
      asked.push(name);
      if (answer instanceof Error) throw answer;
      return answer as T;
    };
  const facilitator = {
    verify: say('verify', scene.verify ?? { isValid: true, invalidReason: '' }),
    settle: say('settle', scene.settle ?? SETTLED),
    find: say('find', scene.find ?? ({ state: 'none' } as const)),
  };
  const services = { cluster: { now: () => scene.now ?? 0 }, facilitator, crashpoint: () => {}, log: () => {} };
  const task = { input, attempt: scene.attempt ?? 1 } as unknown as ActivityTask;
  const signal = new AbortController().signal;
  const ended = await settleHandler(() => services, LIMITS)
    .run(task, signal)
    .catch((error: unknown) => (error instanceof ActivityFailed ? error.code : String(error)));
  return [ended as SettleResult | string, asked.join(' ')];
}

const settled = { outcome: 'settled', transaction: '0xT1' };
const refused = (reason: string, isAsked = true) => ({ outcome: 'refused', reason, isAsked });
const none = new NoAnswer('nothing');

it('the first attempt verifies and settles; what is certain is a result', async () => {
  assert.equal(await run({}), [settled, 'verify settle']);
  const invalid = { isValid: false, invalidReason: 'invalid_signature' };
  assert.equal(await run({ verify: invalid }), [refused('invalid_signature', false), 'verify']);
  assert.equal(await run({ settle: REFUSED }), [refused('insufficient_funds'), 'verify settle']);
});

it('before settlement was asked for nothing can have happened; after it, everything', async () => {
  assert.equal(await run({ verify: none }), [NOT_ASKED, 'verify']);
  assert.equal(await run({ settle: none }), ['unknown', 'verify settle']);
  assert.equal(await run({ settle: { ...REFUSED, transaction: '0xT1' } }), ['unknown', 'verify settle']);
});

it('a later attempt asks by the nonce first, and settles again only what was not settled (rule K47)', async () => {
  assert.equal(await run({ attempt: 2, find: { state: 'settled', settlement: SETTLED } }), [settled, 'find']);
  assert.equal(await run({ attempt: 2 }), [settled, 'find settle']);
  assert.equal(await run({ attempt: 2, find: none }), ['unknown', 'find']);
  assert.equal(await run({ attempt: 2, settle: REFUSED }), ['unknown', 'find settle'], 'an echo of the first');
});

it('an authorization that ended long ago is refused once the facilitator knows no settlement', async () => {
  const now = validBefore + 3_600_000;
  assert.equal(await run({ attempt: 9, now }), [refused('authorization_expired'), 'find']);
  assert.equal(await run({ attempt: 9, now, find: none }), ['unknown', 'find']);
  assert.equal(await run({ attempt: 9, now: validBefore + 1 }), [settled, 'find settle']);
});

it('an answer about another payment proves nothing', async () => {
  for (const other of [{ network: 'eip155:1' }, { payer: '0xother' }, { transaction: '' }]) {
    assert.equal(await run({ settle: { ...SETTLED, ...other } }), ['unknown', 'verify settle'], JSON.stringify(other));
  }
  assert.equal((await run({ settle: { ...SETTLED, payer: '' } }))[0], settled);
});

it('the client authenticates, and takes what it cannot understand for no answer', async () => {
  const simulator = await startFacilitator({ secret: FACILITATOR_SECRET });
  const outbound = new Pools({
    clock: systemClock,
    lease: { connected: true },
    connectionsPerOriginMax: 2,
    connectMs: 1_000,
  });
  const client = (secret: string): Facilitator =>
    new Facilitator({ outbound, x402: railOf(simulator.url), secret, limits: LIMITS });
  const failure = (asking: Promise<unknown>): Promise<string> =>
    asking.then(
      () => 'answered',
      (error) => error.name,
    );
  assert.is(await failure(client('wrong').find(input)), 'NoAnswer');
  assert.equal(await client(FACILITATOR_SECRET).find(input), { state: 'none' });
  assert.is(await failure(client(FACILITATOR_SECRET).verify({}, {})), 'NoAnswer', 'a 400 without a verdict');
  await simulator.close();
  assert.is(await failure(client(FACILITATOR_SECRET).settle({}, {})), 'NoAnswer');
  await outbound.close();
});

test.run();
