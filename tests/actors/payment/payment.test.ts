import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { paymentKind } from '../../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../../actors/payment/payment-state.ts';
import { FAILED_SHOWN_MS } from '../../../actors/payment/payment-state.ts';
import type { SettleResult } from '../../../actors/payment/settlement.ts';
import { UNCLEAR_AFTER_MS } from '../../../actors/payment/settlement.ts';
import { transactionKind } from '../../../actors/payment/transaction.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/payments.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);

function open(): PureActors {
  const actors = new PureActors([accountKind(), auditKind, paymentKind, transactionKind], START);
  for (const name of ['acct_1', 'acct_2']) actors.tell(`account:${name}`, { type: 'account.create', name } as never);
  return actors;
}

const pay = (actors: PureActors, nth = 1, more: Parameters<typeof made.payEvent>[1] = {}) =>
  actors.ask<PaymentRecord & Partial<RefusedAnswer>>(made.addressOf(nth), made.payEvent(nth, more));
const running = (actors: PureActors, nth = 1) => actors.activitiesOf(made.addressOf(nth))[0];
const done = (actors: PureActors, result: SettleResult, nth = 1) =>
  actors.tell(made.addressOf(nth), { type: 'settle.done', id: running(actors, nth)?.id, attempt: 1, result } as never);
const failed = (actors: PureActors, { attempt = 1, retriable = true, nth = 1, code = 'unknown' } = {}) =>
  actors.tell(made.addressOf(nth), {
    ...{ type: 'settle.failed', id: running(actors, nth)?.id, attempt, key: 'k' },
    failure: { code, message: 'no answer', retriable },
  } as never);
const row = (actors: PureActors, nth = 1) => actors.row<PaymentRecord>(made.addressOf(nth), 'payment', made.idOf(nth));
const money = (actors: PureActors, account = 'acct_1') => {
  const { deposits, balance } = actors.ask<AccountView>(`account:${account}`, { type: 'account.show' });
  return [deposits, balance];
};
const SETTLED: SettleResult = { outcome: 'settled', transaction: '0xT1' };

it('a payment is pending before the facilitator is asked, and a settled one is credited with its transaction (rule K47)', () => {
  const actors = open();
  const answered = pay(actors);
  assert.is(answered.status, 'pending');
  assert.equal(row(actors), answered, 'the row is written in the commit that asks for the activity');
  assert.is(running(actors)?.name, 'settle');
  done(actors, SETTLED);
  assert.equal([row(actors)?.status, row(actors)?.transaction, row(actors)?.balance], ['credited', '0xT1', '5']);
  assert.equal(money(actors), ['5', '5']);
  const deposit = actors.row<{ source: object }>('account:acct_1', 'deposit', made.idOf(1));
  const { network, payer } = made.newPayment(1);
  assert.equal(deposit?.source, { rail: 'x402', network, payer, transaction: '0xT1' });
  assert.not.match(JSON.stringify(actors.context(made.addressOf(1))), /signature/, 'the signature is dropped');
});

it('a hundred repeats of a payment are answered from its record, and the letter case of its name does not matter', () => {
  const actors = open();
  for (let i = 0; i < 50; i++) assert.is(pay(actors).status, 'pending');
  assert.is(actors.activities.size, 1);
  done(actors, SETTLED);
  for (let i = 0; i < 50; i++) assert.is(pay(actors).status, 'credited');
  assert.is(actors.activities.size, 0);
  assert.equal(money(actors), ['5', '5']);
  const { payer, ...rest } = made.newPayment(1);
  assert.is(pay(actors, 1, { ...rest, payer: payer.toUpperCase() }).status, 'credited');
});

it('another account that presents the payment is refused, whatever became of it', () => {
  const actors = open();
  const other = { account: 'acct_2', key: 'key:acct_2/key_1' };
  const refusal = (): unknown => pay(actors, 1, other).refusal?.status;
  pay(actors);
  assert.is(refusal(), 402);
  failed(actors);
  assert.is(refusal(), 402);
  actors.advance(1_000);
  done(actors, SETTLED);
  assert.is(refusal(), 402);
  assert.equal(
    [money(actors, 'acct_1'), money(actors, 'acct_2')],
    [
      ['5', '5'],
      ['0', '0'],
    ],
  );
});

it('a payment that was refused before its settlement may be presented by anyone; after it, by its account', () => {
  const actors = open();
  pay(actors);
  done(actors, { outcome: 'refused', reason: 'invalid_signature', isAsked: false });
  assert.equal([row(actors)?.status, row(actors)?.reason], ['failed', 'invalid_signature']);
  assert.is(pay(actors, 1, { account: 'acct_2' }).status, 'pending');
  done(actors, { outcome: 'refused', reason: 'insufficient_funds', isAsked: true });
  assert.is(pay(actors, 1).refusal?.status, 402);
  assert.is(pay(actors, 1, { account: 'acct_2' }).status, 'pending');
  done(actors, SETTLED);
  assert.equal(money(actors, 'acct_2'), ['5', '5']);
});

it('an unknown outcome is asked again by the same presentation, ever later, until it is known', () => {
  const actors = open();
  pay(actors);
  const { input } = running(actors) ?? {};
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 9; attempt++) {
    failed(actors, { attempt });
    assert.is(running(actors), undefined);
    const { at } = actors.timers.get(`${made.addressOf(1)} payment.ask-again`) as { at: number };
    waits.push((at - actors.now) / 1_000);
    actors.advance(at - actors.now);
    assert.equal(running(actors)?.input, input);
    assert.is(running(actors)?.repeats?.attempt, attempt);
  }
  assert.equal(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  done(actors, SETTLED);
  assert.equal(money(actors), ['5', '5']);
});

it('what nobody could find out goes to an operator, who names the transaction or that there is none', () => {
  for (const [transaction, status, total] of [
    ['0xT9', 'credited', '5'],
    [null, 'failed', '0'],
  ] as const) {
    const actors = open();
    pay(actors);
    actors.advance(made.newPayment(1).validBefore - actors.now + UNCLEAR_AFTER_MS);
    failed(actors, { attempt: 40 });
    assert.equal([row(actors)?.status, row(actors)?.reason], ['review', 'unknown_outcome']);
    const resolve = { type: 'payment.resolve', by: TESTER, transaction, reason: 'looked at the chain' };
    const answered = actors.ask<PaymentRecord>(made.addressOf(1), resolve);
    assert.is(answered.status, transaction === null ? 'failed' : 'pending');
    assert.is(row(actors)?.status, status);
    assert.equal(money(actors), [total, total]);
    const again = actors.ask<RefusedAnswer>(made.addressOf(1), resolve);
    assert.is(again.refusal.status, 409);
  }
});

it('a payment that never reached the facilitator begins anew, and fails when its authorization has long ended', () => {
  const actors = open();
  pay(actors);
  for (let i = 0; i < 3; i++) {
    failed(actors, { code: 'not-asked' });
    actors.advance(60_000);
    assert.is(running(actors)?.repeats, undefined, 'the next attempt verifies again');
  }
  actors.advance(made.newPayment(1).validBefore - actors.now + UNCLEAR_AFTER_MS);
  failed(actors, { code: 'not-asked' });
  assert.equal([row(actors)?.status, row(actors)?.reason], ['failed', 'facilitator_unreachable']);
  assert.is(pay(actors, 1, { account: 'acct_2', validBefore: actors.now + 1_000 }).status, 'pending');
});

it('a failure that no repeat can solve goes to an operator at once', () => {
  const actors = open();
  pay(actors);
  failed(actors, { retriable: false });
  assert.is(row(actors)?.status, 'review');
});

it('a transaction that is named for two payments credits the first', () => {
  const actors = open();
  pay(actors, 1);
  pay(actors, 2, { account: 'acct_2' });
  done(actors, SETTLED, 1);
  done(actors, SETTLED, 2);
  assert.equal([row(actors, 2)?.status, row(actors, 2)?.reason], ['review', 'transaction_used']);
  assert.equal(
    [money(actors, 'acct_1'), money(actors, 'acct_2')],
    [
      ['5', '5'],
      ['0', '0'],
    ],
  );
});

it('a failed payment is shown for a month and then forgotten, unless it is presented again', () => {
  const actors = open();
  pay(actors);
  done(actors, { outcome: 'refused', reason: 'x', isAsked: true });
  actors.advance(FAILED_SHOWN_MS - 1);
  assert.is(row(actors)?.status, 'failed');
  pay(actors);
  actors.advance(2);
  assert.is(row(actors)?.status, 'pending', 'the timer of the first failure is gone');
  done(actors, { outcome: 'refused', reason: 'x', isAsked: true });
  actors.advance(FAILED_SHOWN_MS);
  assert.is(row(actors), null);
});

it('operators see why a payment waits, and never its signature', () => {
  const actors = open();
  pay(actors);
  const said = (): string => actors.explain(made.addressOf(1)).join(' ');
  assert.match(said(), /facilitator is asked about 5 USD for account:acct_1/);
  const redacted = paymentKind.redact(actors.context(made.addressOf(1)));
  assert.not.match(JSON.stringify(redacted), /signature/);
  failed(actors);
  assert.match(said(), /asked again in 1 s/);
  actors.advance(1_000);
  done(actors, SETTLED);
  assert.match(said(), /was credited: transaction 0xT1/);
});

test.run();
