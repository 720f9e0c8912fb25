/**
 * Payments against a model of the network: whatever is lost, repeated or delayed between client, node, facilitator and
 * actors, every settled payment is credited once to the account that presented it, and nothing else is.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { paymentKind } from '../../../actors/payment/payment.ts';
import type { PaymentRecord, PaymentStatus } from '../../../actors/payment/payment-state.ts';
import { transactionKind } from '../../../actors/payment/transaction.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { text, units } from '../../support/model/oracle.ts';
import * as made from '../../support/model/payments.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';
import { verifyLedger } from '../../support/verify-ledger.ts';

const it = bounded(test, 600_000);
const RUNS = Number(process.env.MODEL_RUNS ?? 150);
const ACCOUNTS = ['acct_1', 'acct_2'] as const;
const PAYMENTS = [1, 2, 3, 4] as const;

const nth = fc.constantFrom(...PAYMENTS);
const command = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('pay' as const), nth, account: fc.constantFrom(...ACCOUNTS) }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      nth,
      /** What becomes of the question: answered, refused, never arrived, or settled with its answer lost. */
      how: fc.constantFrom('answered', 'answered', 'invalid', 'declined', 'hangs', 'lost', 'poison', 'lost poison'),
    }),
    weight: 6,
  },
  fc.record({ do: fc.constant('died' as const), nth }),
  fc.record({ do: fc.constant('echo' as const), nth }),
  fc.record({ do: fc.constant('resolve' as const), nth }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 1_000, 60_000, 3_600_000) }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface ModelPayment {
  account: string;
  status: PaymentStatus;
  /** The network's own record: settled for good, whoever knows it. */
  settled: boolean;
  /** The facilitator received the authorization. */
  asked: boolean;
  attempt: number;
}

/** Counts of the interesting cases over all runs: each must occur for the test to prove anything. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

class World {
  readonly actors = new PureActors([accountKind(), auditKind, paymentKind, transactionKind], START);
  readonly model = new Map<number, ModelPayment>();

  constructor() {
    for (const name of ACCOUNTS) this.actors.tell(`account:${name}`, { type: 'account.create', name } as never);
  }

  run(command: Command): void {
    if (command.do === 'advance') this.actors.advance(command.ms);
    if (command.do === 'pay') this.pay(command.nth, command.account);
    if (command.do === 'advance' || command.do === 'pay') return;
    const known = this.model.get(command.nth);
    if (known === undefined) return;
    if (command.do === 'ask') this.ask(command.nth, known, command.how);
    if (command.do === 'died') this.died(command.nth, known);
    if (command.do === 'echo') this.echo(command.nth, known);
    if (command.do === 'resolve') this.resolve(command.nth, known);
  }

  private pay(nth: number, account: string): void {
    const amount = text(units(`${nth}.000000000000000000000001`));
    const event = made.payEvent(nth, { account, amount, validBefore: this.actors.now + 600_000 });
    const answer = this.actors.ask<PaymentRecord & Partial<RefusedAnswer>>(made.addressOf(nth), event);
    const known = this.model.get(nth);
    const isFresh = known === undefined || known.status === 'failed';
    if (known !== undefined && known.account !== account && (!isFresh || known.asked)) {
      assert.is(answer.refusal?.status, 402);
      note('another account is refused');
      return;
    }
    if (isFresh) {
      note(known === undefined ? 'presented' : 'presented again after a failure');
      this.model.set(nth, { account, status: 'pending', settled: false, asked: false, attempt: 1 });
    } else note(`repeated while ${known.status}`);
    assert.is(answer.status, this.model.get(nth)?.status);
  }

  private ask(nth: number, known: ModelPayment, how: string): void {
    const activity = this.actors.activitiesOf(made.addressOf(nth))[0];
    if (activity === undefined) return;
    if (how.startsWith('lost')) known.settled = true;
    if (how !== 'invalid') known.asked = true;
    const isRefusal = how === 'invalid' || how === 'declined';
    // The handler takes a refusal for certain only in a first attempt that had an answer.
    if (isRefusal && !known.settled && known.attempt === 1) {
      const result = { outcome: 'refused', reason: how, isAsked: how === 'declined' };
      this.tell(nth, { type: 'settle.done', id: activity.id, attempt: known.attempt, result });
      known.status = 'failed';
      note(`refused: ${how}`);
    } else if (how === 'answered') {
      if (known.settled) note('an unknown outcome was found to be settled');
      known.settled = true;
      const result = { outcome: 'settled', transaction: `0xT${nth}` };
      this.tell(nth, { type: 'settle.done', id: activity.id, attempt: known.attempt, result });
      known.status = 'credited';
    } else {
      const retriable = !how.endsWith('poison');
      const failure = { code: 'unknown', message: how, retriable };
      this.tell(nth, { type: 'settle.failed', id: activity.id, attempt: known.attempt, key: 'k', failure });
      known.attempt++;
      if (this.row(nth)?.status === 'review') known.status = 'review';
      note(`unknown, then ${known.status}`);
    }
  }

  /** The runtime starts the next attempt itself. */
  private died(nth: number, known: ModelPayment): void {
    const activity = this.actors.activitiesOf(made.addressOf(nth))[0];
    if (activity === undefined) return;
    known.attempt++;
    this.tell(nth, { type: 'settle.attempt', id: activity.id, attempt: known.attempt });
    note('its runner died');
  }

  /** Messages and timers that arrive again. */
  private echo(nth: number, { status }: ModelPayment): void {
    this.tell(nth, { type: 'payment.credited', balance: '0' }, status === 'pending');
    this.tell(
      nth,
      { type: 'payment.ask-again', repeats: { key: 'k', attempt: 1, failure: { code: 'c', message: 'm' } } },
      status !== 'credited',
    );
    if (status !== 'credited') return;
    const { account, amount, transaction, network, payer } = this.row(nth) as PaymentRecord;
    const source = { rail: 'x402', network, payer, transaction };
    this.actors.tell(`account:${account}`, {
      type: 'deposit.credit',
      by: TESTER,
      deposit: made.idOf(nth),
      amount,
      source,
    } as never);
    note('the credit was repeated');
  }

  private resolve(nth: number, known: ModelPayment): void {
    const transaction = known.settled ? `0xT${nth}` : null;
    const event = { type: 'payment.resolve', by: TESTER, transaction, reason: 'looked' };
    const answer = this.actors.ask<PaymentRecord & Partial<RefusedAnswer>>(made.addressOf(nth), event);
    if (known.status !== 'review') {
      assert.is(answer.refusal?.status, 409);
      return;
    }
    known.status = known.settled ? 'credited' : 'failed';
    note(`resolved: ${known.status}`);
  }

  /** `isSkipped`: in this state the message would be the first of its kind, not a repeat. */
  private tell(nth: number, event: object, isSkipped = false): void {
    if (!isSkipped) this.actors.tell(made.addressOf(nth), event as { type: string });
  }

  row(nth: number): PaymentRecord | null {
    return this.actors.row<PaymentRecord>(made.addressOf(nth), 'payment', made.idOf(nth));
  }

  judge(): void {
    for (const [nth, { status }] of this.model) assert.is(this.row(nth)?.status, status, `payment ${nth}`);
    for (const account of ACCOUNTS) {
      const ledger = this.actors.list<LedgerEntry>(`account:${account}`, 'ledger');
      const verdict = verifyLedger(ledger);
      assert.ok(verdict.sound);
      const credited = [...this.model].filter(([, one]) => one.account === account && one.status === 'credited');
      assert.equal(ledger.map(({ ref }) => ref).sort(), credited.map(([nth]) => made.idOf(nth)).sort());
      for (const [, { settled }] of credited) assert.ok(settled, 'nothing is credited that the network did not settle');
      const total = credited.reduce((sum, [nth]) => sum + units(`${nth}.000000000000000000000001`), 0n);
      assert.is(verdict.sound && verdict.deposits, text(total));
    }
  }
}

const [payBy, ask] = [
  (account: (typeof ACCOUNTS)[number]): Command => ({ do: 'pay', nth: 1, account }),
  (how: Extract<Command, { do: 'ask' }>['how']): Command => ({ do: 'ask', nth: 1, how }),
];
const [resolve, echo, died, later] = [
  { do: 'resolve', nth: 1 },
  { do: 'echo', nth: 1 },
  { do: 'died', nth: 1 },
  { do: 'advance', ms: 60_000 },
] as const;
/** The rare situations, so that every run meets them. */
const EXAMPLES: readonly Command[][] = [
  [payBy('acct_1'), ask('lost'), payBy('acct_1'), later, died, ask('answered'), echo, payBy('acct_1'), payBy('acct_2')],
  [payBy('acct_1'), ask('lost poison'), payBy('acct_1'), resolve, echo],
  [payBy('acct_1'), ask('poison'), resolve, payBy('acct_1'), ask('declined')],
  [payBy('acct_1'), ask('invalid'), payBy('acct_2'), ask('hangs'), later, ask('answered')],
];

it('credits what was settled, once, whatever is lost or repeated (rule K47)', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 10, maxLength: 60 }), (commands) => {
      const world = new World();
      for (const one of commands) {
        world.run(one);
        world.judge();
      }
    }),
    { numRuns: RUNS, examples: EXAMPLES.map((commands) => [commands]) },
  );
  const needed = [
    ...['presented', 'presented again after a failure', 'another account is refused', 'refused: invalid'],
    ...['refused: declined', 'unknown, then pending', 'unknown, then review', 'its runner died'],
    ...['an unknown outcome was found to be settled', 'the credit was repeated', 'resolved: credited'],
    ...['resolved: failed', 'repeated while pending', 'repeated while credited', 'repeated while review'],
  ];
  for (const what of needed) assert.ok((seen.get(what) ?? 0) > 0, `no run met: ${what}`);
});

test.run();
