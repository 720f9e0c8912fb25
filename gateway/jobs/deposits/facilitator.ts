import type { Json } from '../../../actors/runtime/index.ts';
import type { PaymentName } from '../../../actors/terms/payment.ts';
import { type Outbound, outboundUrl } from '../../outbound/outbound.ts';
import type { PaymentLimits, X402Config } from '../../terms/config/deposit-config.ts';

/** The facilitator gave no answer that can be understood: nothing is known. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface PaymentVerdict {
  readonly isValid: boolean;
  readonly invalidReason: string;
}

export interface PaymentSettlement {
  readonly success: boolean;
  /** Empty where the facilitator names none. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  readonly errorReason: string;
}

/** What became of a payment that was presented before. `none`: the facilitator has not settled it. */
export type FoundSettlement =
  | { readonly state: 'settled'; readonly settlement: PaymentSettlement }
  | { readonly state: 'none' };

interface FacilitatorOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly x402: X402Config;
  readonly secret: string;
  readonly limits: PaymentLimits;
}

const REASON_CHARACTERS_MAX = 64;

/**
 * The client of an x402 facilitator: `POST /verify`, `POST /settle`, and `GET /settlements/{network}/{payer}/{nonce}`,
 * which tells how a payment was settled whose answer was lost. Every method rejects with `NoAnswer` where the outcome
 * is unknown. What a facilitator says reaches customers only as a short code. (rule K47)
 */
export class Facilitator {
  readonly #options: FacilitatorOptions;

  constructor(options: FacilitatorOptions) {
    this.#options = options;
  }

  async verify(payload: Json, requirements: Json): Promise<PaymentVerdict> {
    const { isValid, invalidReason } = await this.#ask('POST', '/verify', bodyOf(payload, requirements));
    if (typeof isValid !== 'boolean') throw new NoAnswer('/verify answered without isValid');
    return { isValid, invalidReason: codeOf(invalidReason) };
  }

  async settle(payload: Json, requirements: Json): Promise<PaymentSettlement> {
    return settlementOf(await this.#ask('POST', '/settle', bodyOf(payload, requirements)));
  }

  async find({ network, payer, nonce }: PaymentName): Promise<FoundSettlement> {
    const path = `/settlements/${[network, payer, nonce].map(encodeURIComponent).join('/')}`;
    const { state, settlement } = await this.#ask('GET', path, null);
    if (state === 'none') return { state };
    if (state !== 'settled' || typeof settlement !== 'object' || settlement === null) {
      throw new NoAnswer(`${path} answered without a state`);
    }
    return { state, settlement: settlementOf(settlement as Readonly<Record<string, unknown>>) };
  }

  async #ask(method: 'GET' | 'POST', path: string, body: string | null): Promise<Readonly<Record<string, unknown>>> {
    const { outbound, x402, secret, limits } = this.#options;
    const { answerMs, answerBytesMax } = limits;
    const json = body === null ? [] : ['content-type', 'application/json'];
    try {
      const { status, body: answer } = await outbound.send({
        method,
        url: outboundUrl(x402.facilitator, path),
        body,
        headers: ['authorization', `Bearer ${secret}`, 'accept', 'application/json', ...json],
        limits: {
          connectMs: answerMs,
          firstByteMs: answerMs,
          idleMs: answerMs,
          totalMs: answerMs,
          bodyBytesMax: answerBytesMax,
        },
      });
      const text = await answer.text();
      // A refusal may have a status of its own (400, 402); other failures say nothing about the payment.
      if (status !== 200 && status !== 400 && status !== 402) throw new NoAnswer(`${path} answered ${status}`);
      return recordIn(text, path);
    } catch (error) {
      throw error instanceof NoAnswer ? error : new NoAnswer(`${path}: ${String(error)}`);
    }
  }
}

function bodyOf(paymentPayload: Json, paymentRequirements: Json): string {
  return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements });
}

function recordIn(text: string, path: string): Readonly<Record<string, unknown>> {
  const value = JSON.parse(text) as unknown;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new NoAnswer(`${path} answered no object`);
}

function settlementOf(answer: Readonly<Record<string, unknown>>): PaymentSettlement {
  const { success, transaction, network, payer, errorReason } = answer;
  if (typeof success !== 'boolean') throw new NoAnswer('a settlement without success');
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    success,
    transaction: text(transaction),
    network: text(network),
    payer: text(payer),
    errorReason: codeOf(errorReason),
  };
}

/** A code of ours or of the protocol; a text of any other kind is not passed on. */
function codeOf(reason: unknown): string {
  const isCode = typeof reason === 'string' && reason.length <= REASON_CHARACTERS_MAX && /^[a-z0-9_]+$/.test(reason);
  return isCode ? reason : 'payment_refused';
}
