import { randomBytes } from 'node:crypto';
import type { PaymentEvidence, PaymentSeen } from '../support/auditor/payment-evidence.ts';
import { limit } from '../support/pace.ts';
import type { Accepted } from '../support/x402.ts';
import { randomNonce, signed } from '../support/x402.ts';
import { type Called, call, jsonOf, pause } from './call.ts';
import type { Payer } from './workload.ts';

interface PaymentWorkOptions {
  readonly base: string;
  readonly payers: readonly Payer[];
  /** Uniform in [0, 1). */
  readonly chance: () => number;
  /** Credits an account as an operator does; rejects where the outcome is unknown. */
  readonly deposit: (deposit: OperatorDeposit) => Promise<void>;
}

interface PayOptions {
  /** How often the payment is presented at once. */
  readonly repeats: number;
  /** Asked of the simulated facilitator; null for none. */
  readonly fault: string | null;
}

interface OperatorDeposit {
  readonly account: string;
  readonly id: string;
  readonly amount: string;
}

/** What a payment asks of the simulated facilitator. */
const FAULTS = [null, null, 'lost', 'unconfirmed', 'error', 'declined'] as const;
/** How often each payment is presented at once. */
const REPEATS = 4;
const REST_MS = 300;
const TRY_REST_MS = 300;
const PAID_MS = 180_000;
const OPERATOR_REPEATS = 3;
const TRIES_MAX = 100;
/** No two payers of a run share nonces. */
const payerName = (): string => `0x${randomBytes(20).toString('hex')}`;

/** Customers pay by x402 and operators credit accounts while requests run; each repeats what it sent. */
export class PaymentWork {
  readonly #options: PaymentWorkOptions;
  readonly #presented: PaymentSeen[] = [];
  readonly #deposits: OperatorDeposit[] = [];
  #running = false;
  #workers: readonly Promise<void>[] = [];

  constructor(options: PaymentWorkOptions) {
    this.#options = options;
  }

  start(): void {
    const { payers } = this.#options;
    this.#running = true;
    this.#workers = [
      ...payers.map((payer) => this.#repeat(() => this.pay(payer, { repeats: REPEATS, fault: this.#fault() }))),
      this.#repeat(() => this.#credit()),
    ];
  }

  /** Begins no payment more; the payments under way are presented until they are credited or refused. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
  }

  get presented(): PaymentEvidence['presented'] {
    return this.#presented;
  }

  /** The acknowledged deposits of operators. */
  get deposits(): readonly OperatorDeposit[] {
    return this.#deposits;
  }

  /** Signs one payment, which each of `repeats` clients presents until it is told the credit. Null: it was not begun. */
  async pay(payer: Payer, { repeats, fault }: PayOptions): Promise<PaymentSeen | null> {
    const amount = String(1 + Math.floor(this.#options.chance() * 3));
    const path = `/deposits/x402?amount=${amount}`;
    const accepted = await this.#accepted(payer, path);
    if (accepted === null) return null;
    const [nonce, from] = [randomNonce(), payerName()];
    const payment = signed(accepted, { nonce, payer: from, ...(fault === null ? {} : { fault }) });
    const statuses: number[] = [];
    const credited: PaymentSeen['credited'][number][] = [];
    const seen = { account: payer.account, payer: from, nonce, amount, statuses, credited };
    this.#presented.push(seen);
    const init = { method: 'POST', headers: { 'payment-signature': payment } };
    const present = async (): Promise<void> => {
      for (const leftMs = limit(PAID_MS); leftMs() > 0; await pause(TRY_REST_MS)) {
        const answer = await call(this.#options.base, payer.key, path, init);
        note(answer, statuses, credited);
        if (answer.status === 200) return;
      }
      throw new Error(`payment ${nonce} is not credited: ${[...new Set(statuses)].join(' ')}`);
    };
    await Promise.all(Array.from({ length: repeats }, present));
    return seen;
  }

  #fault(): PayOptions['fault'] {
    return FAULTS[Math.floor(this.#options.chance() * FAULTS.length)] ?? null;
  }

  async #accepted({ key }: Payer, path: string): Promise<Accepted | null> {
    const asked = await call(this.#options.base, key, path, { method: 'POST' });
    const refusal = jsonOf<{ error: { metadata: { accepts?: readonly Accepted[] } } }>(asked);
    return asked.status === 402 ? (refusal?.error.metadata.accepts?.[0] ?? null) : null;
  }

  /** One deposit, sent several times at once and until it is acknowledged. */
  async #credit(): Promise<void> {
    const { payers, chance, deposit } = this.#options;
    const { account } = payers[Math.floor(chance() * payers.length)] as Payer;
    const made = { account, id: `dep_chaos-${randomBytes(6).toString('hex')}`, amount: '0.000000000000000000000001' };
    for (let tries = 0; tries < TRIES_MAX; tries++, await pause(TRY_REST_MS)) {
      const sent = await Promise.allSettled(Array.from({ length: OPERATOR_REPEATS }, () => deposit(made)));
      if (sent.every(({ status }) => status === 'rejected')) continue;
      this.#deposits.push(made);
      return;
    }
  }

  async #repeat(work: () => Promise<unknown>): Promise<void> {
    for (; this.#running; await pause(REST_MS)) await work();
  }
}

function note(answer: Called, statuses: number[], credited: PaymentSeen['credited'][number][]): void {
  statuses.push(answer.status ?? 0);
  const text = answer.bytes.toString();
  const id = /"deposit_id":"([^"]+)"/.exec(text)?.[1];
  const balance = /"balance":\s*(-?[0-9.eE+-]+)/.exec(text)?.[1];
  if (answer.status === 200 && id !== undefined && balance !== undefined) (credited as unknown[]).push({ id, balance });
}
