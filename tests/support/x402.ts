/** A payer of x402 payments, and the rail of a simulated facilitator. */
import { randomBytes } from 'node:crypto';
import type { X402Config } from '../../gateway/terms/config/deposit-config.ts';

export const FACILITATOR_SECRET = 'the-secret-of-the-facilitator';

export function railOf(facilitator: string): X402Config {
  return {
    ...{ facilitator, secretEnv: 'FACILITATOR_SECRET', network: 'eip155:84532' },
    ...{ asset: `0x${'ab'.repeat(20)}`, assetName: 'USDC', assetVersion: '2', assetDecimals: 6 },
    payTo: `0x${'cd'.repeat(20)}`,
  };
}

export interface Accepted {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly payTo: string;
}

export interface SignOptions {
  readonly nonce?: string;
  readonly payer?: string;
  readonly validForMs?: number;
  readonly signature?: string;
  /** For the simulated facilitator. */
  readonly fault?: string;
  readonly times?: number;
  readonly authorization?: object;
}

export const randomNonce = (): string => `0x${randomBytes(32).toString('hex')}`;

/** The value of `PAYMENT-SIGNATURE` for what the 402 asks to sign. */
export function signed(accepted: Accepted, options: SignOptions = {}): string {
  const { nonce = randomNonce(), payer = `0x${'a1'.repeat(20)}`, validForMs = 300_000, fault, times } = options;
  const authorization = {
    ...{ from: payer, to: accepted.payTo, value: accepted.amount, validAfter: '0', nonce },
    validBefore: String(Math.floor((Date.now() + validForMs) / 1_000)),
    ...options.authorization,
  };
  const signature = options.signature ?? `0x${'5e'.repeat(64)}1b`;
  const simulator = {
    simulator: { ...(fault === undefined ? {} : { fault }), ...(times === undefined ? {} : { times }) },
  };
  const payload = { x402Version: 2, accepted, payload: { signature, authorization }, extensions: simulator };
  return Buffer.from(JSON.stringify(payload)).toString('base64');
}

/** What a 402 asks to sign. */
export function acceptedIn(answer: Response): Accepted {
  const header = answer.headers.get('payment-required') ?? '';
  const { accepts } = decoded<{ accepts: [Accepted] }>(header);
  return accepts[0];
}

export function decoded<T>(header: string | null): T {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString()) as T;
}
